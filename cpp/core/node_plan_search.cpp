// Searches a plan for when and where a job has room.

#include <algorithm>
#include <cassert>

#include "core/node_plan.h"
#include "core/view.h"

namespace schedlab {

bool NodePlan::fits(NodeIndex node, const Amount* free, const Share& share) const {
    const std::size_t resources = machine_->resources();
    if (!share.exclusive) {  // most are not
        const Amount* wanted = share.amounts.data();
        for (std::size_t r = 0; r < resources; ++r) {
            if (free[r] < wanted[r]) return false;
        }
        return true;
    }
    for (std::size_t r = 0; r < resources; ++r) {
        if (free[r] < machine_->capacity(r, node)) return false;
    }
    return true;
}

bool NodePlan::fits_on_gpus(NodeIndex node, const Amount* free, const Share& share) const {
    return fits(node, free, share) &&
           machine_->gpus_fit(share, [free](std::size_t r) { return free[r]; });
}

std::size_t NodePlan::step_at(const Steps& steps, Time time) const {
    if (steps.time.size() == 1 || time < steps.time[1]) return 0;  // most calls ask about now
    const auto after = std::upper_bound(steps.time.begin() + 2, steps.time.end(), time);
    return static_cast<std::size_t>(after - steps.time.begin() - 1);
}

void NodePlan::keep_least(const Steps& steps, std::size_t step,
                          std::vector<Amount>& amounts) const {
    const std::size_t resources = machine_->resources();
    const Amount* free = steps.free.data() + step * resources;
    if (amounts.empty()) {
        amounts.assign(free, free + resources);
        return;
    }
    for (std::size_t r = 0; r < resources; ++r) amounts[r] = std::min(amounts[r], free[r]);
}

std::vector<Amount> NodePlan::least_free(NodeIndex node, Time start, Time duration) const {
    const Steps& steps = nodes_[node];
    std::vector<Amount> least;
    std::size_t step = step_at(steps, start);
    keep_least(steps, step, least);
    while (++step < steps.time.size() && steps.time[step] < start + duration) {
        keep_least(steps, step, least);
    }
    return least;
}

Time NodePlan::first_room_on_gpus(NodeIndex node, const Share& share, Time from, Time duration,
                                Time limit) const {
    const Steps& steps = nodes_[node];
    for (std::size_t step = step_at(steps, from); step < steps.time.size(); ++step) {
        const Time start = std::max(from, steps.time[step]);
        if (start > limit) return kNever;
        if (fits_on_gpus(node, least_free(node, start, duration).data(), share)) return start;
    }
    return kNever;
}

Time NodePlan::room_until_on_gpus(NodeIndex node, const Share& share) const {
    const Steps& steps = nodes_[node];
    std::vector<Amount> least;
    for (std::size_t step = step_at(steps, now_); step < steps.time.size(); ++step) {
        keep_least(steps, step, least);
        if (!fits_on_gpus(node, least.data(), share)) return std::max(now_, steps.time[step]);
    }
    return kNever;
}

void NodePlan::name_gpus(const View& view, JobIndex job, Slot& slot) const {
    if (!machine_->has_gpus()) return;
    const Time duration = view.planned(job);
    for_each_node(slot.nodes, view.parts(job), [&](NodeIndex node, const Part& part) {
        const Share& share = machine_->share(part.share);
        const auto free = least_free(node, slot.start, duration);
        slot.gpus.push_back(pick_gpus(view.place(), *machine_, share, job, node, free));
    });
}

NodePlan::Wish NodePlan::wish(const View& view, JobIndex job, const Part& part) const {
    const Share& share = view.node_states().machine().share(part.share);
    return {share, view.planned(job), view.calendar(), view.guest(job), bounds_.of(share)};
}

Time NodePlan::look_at(NodeIndex node, const Wish& wish, Time from, Time limit) const {
    for (;;) {
        const Time start =
            wish.share.gpus > 0
                ? first_room_on_gpus(node, wish.share, from, wish.duration, limit)
                : first_room_on(node, wish, from, limit);
        if (start > limit || start == kNever) return kNever;
        from = wish.calendar.next_open(wish.guest, node, start, wish.duration);
        if (from == start) return start;
    }
}

Time NodePlan::first_room_on(NodeIndex node, const Wish& wish, Time from, Time limit) const {
    const Steps& steps = nodes_[node];
    const std::size_t resources = machine_->resources();
    Time start = kNone;
    for (std::size_t step = step_at(steps, from); step < steps.time.size(); ++step) {
        if (start != kNone && wish.duration <= steps.time[step] - start) return start;
        if (start == kNone && steps.time[step] > limit) return kNever;
        if (!fits(node, steps.free.data() + step * resources, wish.share)) {
            start = kNone;
            continue;
        }
        if (start == kNone) start = std::max(from, steps.time[step]);
    }
    return start == kNone ? kNever : start;
}

Time NodePlan::room_until(NodeIndex node, const Wish& wish) const {
    const Steps& steps = nodes_[node];
    const Time open_until = wish.calendar.open_until(wish.guest, node, now_);
    if (wish.share.gpus > 0) return std::min(open_until, room_until_on_gpus(node, wish.share));
    for (std::size_t step = 0; step < steps.time.size(); ++step) {
        const bool past = step + 1 < steps.time.size() && steps.time[step + 1] <= now_;
        if (past) continue;
        if (!fits(node, steps.free.data() + step * machine_->resources(), wish.share)) {
            return std::min(open_until, std::max(now_, steps.time[step]));
        }
    }
    return open_until;
}

Time NodePlan::nth_earliest(const NodeSet& set, NodeCount count, const Wish& wish, Time from,
                            Time limit) const {
    times_.clear();  // a heap of the earliest ones so far, the latest of them on top
    Time latest = limit;
    set.for_each([&](NodeIndex node) {
        if (latest < from) return;
        const Time time = earliest_on(node, wish, from, latest);
        if (time > latest) return;
        if (std::ssize(times_) == count) {
            std::pop_heap(times_.begin(), times_.end());
            times_.pop_back();
        }
        times_.push_back(time);
        std::push_heap(times_.begin(), times_.end());
        if (std::ssize(times_) == count) latest = std::min(limit, times_.front() - 1);
    });
    return std::ssize(times_) == count ? times_.front() : kNever;
}

Time NodePlan::earliest_for(const Part& part, const Wish& wish, Time from, Time limit) const {
    const NodeSet& set = machine_->set(part.set);
    if (part.count == 1) {
        Time best = kNever;
        set.for_each([&](NodeIndex node) {
            if (best == from) return;
            best = std::min(best, earliest_on(node, wish, from, std::min(best - 1, limit)));
        });
        return best;
    }
    // No start is possible before the count-th node has room. The next round checks whether the
    // other nodes still have room then.
    for (;;) {
        const Time start = nth_earliest(set, part.count, wish, from, limit);
        if (start == from || start == kNever) return start;
        from = start;
    }
}

std::vector<NodeIndex> NodePlan::nodes_with_room(const Part& part, const Wish& wish,
                                                 Time start) const {
    std::vector<NodeIndex> nodes;
    machine_->set(part.set).for_each([&](NodeIndex node) {
        if (earliest_on(node, wish, start, start) == start) nodes.push_back(node);
    });
    return nodes;
}

bool NodePlan::choose_by(const NodeChoice& place, JobIndex job, const Part& part,
                         const Wish& wish, Time start, Placement& nodes) const {
    std::vector<Amount> least;
    const auto free = [&](NodeIndex node) {
        least = least_free(node, start, wish.duration);
        return std::span<const Amount>(least);
    };
    return take_first(place, {job, *machine_, wish.share, part.count, free},
                      nodes_with_room(part, wish, start), nodes);
}

void NodePlan::choose(const Part& part, const Wish& wish, Time start, Placement& nodes) const {
    const std::size_t first_own = nodes.size();
    NodeCount left = part.count;
    machine_->set(part.set).for_each([&](NodeIndex node) {
        if (left == 0 || earliest_on(node, wish, start, start) != start) return;
        append_node(node, first_own, nodes);
        --left;
    });
    assert(left == 0);
}

NodePlan::Slot NodePlan::earliest(const View& view, JobIndex job, Time from, Time limit) const {
    const auto parts = view.parts(job);
    Slot slot{from, {}};
    for (bool again = true; again;) {
        again = false;
        for (const Part& part : parts) {
            const Time start = earliest_for(part, wish(view, job, part), slot.start, limit);
            if (start == kNever) return {kNever, {}};
            again |= start > slot.start && parts.size() > 1;
            slot.start = start;
        }
    }
    for (const Part& part : parts) {
        const Wish own = wish(view, job, part);
        if (view.place()) {
            choose_by(*view.place(), job, part, own, slot.start, slot.nodes);
        } else {
            choose(part, own, slot.start, slot.nodes);
        }
    }
    name_gpus(view, job, slot);
    return slot;
}

NodePlan::Slot NodePlan::reserve_earliest(const View& view, JobIndex job) {
    Slot slot = earliest(view, job, now_);
    reserve(view, job, slot);
    slot.gains_seen = gains();
    return slot;
}

bool NodePlan::fits_now(const View& view, JobIndex job, Slot& slot) const {
    const NodeStates& states = view.node_states();
    if (!view.has_room(job)) return false;  // a plan never leaves more than is free
    for (const Part& part : view.parts(job)) {
        const Wish wish = this->wish(view, job, part);
        if (view.place()) {
            if (!choose_by(*view.place(), job, part, wish, now_, slot.nodes)) return false;
            continue;
        }
        const std::size_t first_own = slot.nodes.size();
        NodeCount left = part.count;
        for (std::size_t word = 0; word < states.words() && left > 0; ++word) {
            const NodeIndex base = static_cast<NodeIndex>(word * kNodeBits);
            for (auto bits = states.fitting(word, part); bits && left > 0; bits &= bits - 1) {
                const NodeIndex node = base + std::countr_zero(bits);
                if (earliest_on(node, wish, now_, now_) != now_) continue;
                append_node(node, first_own, slot.nodes);
                --left;
            }
        }
        if (left > 0) return false;
    }
    slot.start = now_;
    name_gpus(view, job, slot);
    return true;
}

Time NodePlan::free_for(const View& view, JobIndex job) const {
    const NodeStates& states = view.node_states();
    Time shortest = kNever;
    for (const Part& part : view.parts(job)) {
        const Wish wish = this->wish(view, job, part);
        times_.clear();
        for (std::size_t word = 0; word < states.words(); ++word) {
            const NodeIndex base = static_cast<NodeIndex>(word * kNodeBits);
            for (auto bits = states.fitting(word, part); bits; bits &= bits - 1) {
                times_.push_back(room_until(base + std::countr_zero(bits), wish));
            }
        }
        if (std::ssize(times_) < part.count) return 0;  // a plan never leaves more than is free
        const auto last = times_.begin() + (part.count - 1);
        std::nth_element(times_.begin(), last, times_.end(), std::greater<>());
        shortest = std::min(shortest, *last);
    }
    return shortest == kNever ? kNever : shortest - now_;
}

NodeSet NodePlan::usable_from(const View& view, JobIndex job, const Part& part,
                              Time start) const {
    const Wish wish = this->wish(view, job, part);
    NodeSet usable(machine_->nodes(), {});
    machine_->set(part.set).for_each([&](NodeIndex node) {
        if (earliest_on(node, wish, start, start) == start) usable.add(node);
    });
    return usable;
}

}  // namespace schedlab
