#include "core/count_plan.h"

#include <algorithm>

#include "core/view.h"

namespace schedlab {

void CountPlan::rebuild(const View& view) {
    if (view.one_pool()) {
        pools_.resize(1, AvailabilityProfile(0));
        pools_[0].rebuild(view.now(), view.free_nodes(), view.releases(), view.soonest_release());
        return;
    }
    const Machine& machine = *view.machine_of_nodes();
    pools_.resize(machine.sets().size(), AvailabilityProfile(0));
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        pools_[i].clear(view.now(), machine.sets()[i].count());
    }
    for (const JobIndex job : view.running()) {
        const Time release = std::max(view.expected_release(job), view.soonest_release());
        change(view.parts(job), view.now(), release, -1);
    }
    for (const auto [node, until] : view.closed_nodes()) close(view, {node, view.now(), until});
}

void CountPlan::close(const View& view, const Closing& closing) {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        if (view.one_pool() || view.machine_of_nodes()->sets()[i].has(closing.node)) {
            pools_[i].reserve(closing.from, closing.until, 1);
        }
    }
}

void CountPlan::advance(const View& view) {
    for (AvailabilityProfile& pool : pools_) pool.advance(view.now());
}

void CountPlan::change(std::span<const Part> parts, Time start, Time end, int sign) {
    for (const Part& part : parts) {
        if (sign < 0) {
            pools_[part.set].reserve(start, end, part.count);
        } else {
            pools_[part.set].release(start, end, part.count);
        }
    }
}

void CountPlan::reserve(const View& view, JobIndex job, Slot slot) {
    const Time end = slot.start + view.planned(job);
    if (one_pool()) {
        pools_[0].reserve(slot.start, end, view.nodes(job));
    } else {
        change(view.parts(job), slot.start, end, -1);
    }
}

void CountPlan::release(const View& view, JobIndex job, Slot slot) {
    const Time end = slot.start + view.planned(job);
    if (one_pool()) {
        pools_[0].release(slot.start, end, view.nodes(job));
    } else {
        change(view.parts(job), slot.start, end, 1);
    }
}

void CountPlan::ended_early(const View& view, JobIndex job) {
    const Time expected = view.expected_release(job);
    if (one_pool()) {
        pools_[0].release(view.now(), expected, view.nodes(job));
    } else {
        change(view.parts(job), view.now(), expected, 1);
    }
}

CountPlan::Slot CountPlan::earliest(const View& view, JobIndex job, Time from) const {
    const Time duration = view.planned(job);
    if (one_pool()) return {pools_[0].earliest_from(from, view.nodes(job), duration)};
    for (;;) {
        Time latest = from;
        for (const Part& part : view.parts(job)) {
            latest = pools_[part.set].earliest_from(latest, part.count, duration);
        }
        if (latest == from) return {from};
        from = latest;
    }
}

CountPlan::Slot CountPlan::reserve_earliest(const View& view, JobIndex job) {
    if (one_pool()) return {pools_[0].reserve_earliest(view.nodes(job), view.planned(job))};
    const Slot slot = earliest(view, job, view.now());
    reserve(view, job, slot);
    return slot;
}

bool CountPlan::move_earlier(const View& view, JobIndex job, Slot& slot) {
    if (one_pool()) {
        const NodeCount nodes = view.nodes(job);
        const Time duration = view.planned(job);
        // The job's own slot counts as free, so a window need be free only until that slot begins.
        const Time earlier = pools_[0].earliest_before(slot.start, nodes, duration);
        if (earlier == slot.start) return false;
        pools_[0].move_earlier(slot.start, earlier, duration, nodes);
        slot.start = earlier;
        return true;
    }
    const Time before = slot.start;
    release(view, job, slot);
    slot = reserve_earliest(view, job);
    return slot.start < before;
}

bool CountPlan::fits_now(const View& view, JobIndex job, Slot& slot) const {
    slot.start = view.now();
    if (one_pool()) return pools_[0].fits_now(view.nodes(job), view.planned(job));
    const auto parts = view.parts(job);
    return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        return pools_[part.set].fits_now(part.count, view.planned(job));
    });
}

Time CountPlan::free_for(const View& view, JobIndex job) const {
    if (one_pool()) return pools_[0].free_for(view.nodes(job));
    Time shortest = kNever;
    for (const Part& part : view.parts(job)) {
        shortest = std::min(shortest, pools_[part.set].free_for(part.count));
    }
    return shortest;
}

}  // namespace schedlab
