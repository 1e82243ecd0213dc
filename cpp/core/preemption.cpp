#include "core/preemption.h"

#include <algorithm>
#include <tuple>

#include "core/view.h"

namespace schedlab {

void Preemption::preempt() {
    running_ = View(sim_).running();
    std::vector<JobIndex> considered;
    const WaitingQueue& queue = sim_.queue_;
    const auto end = queue.end_of_first(sim_.depth_);
    for (auto at = queue.first(); at < end; at = queue.next(at)) {
        considered.push_back(queue.job(at));
    }
    for (const JobIndex job : considered) {
        if (is_blocked(job)) continue;
        std::vector<JobIndex> victims;
        if (!make_room(job, victims)) {
            blocked_.push_back(job);
        } else if (victims.empty()) {
            Held own{job, {}};
            sim_.choose(job, own.nodes);
            sim_.states_->hold(own.nodes, sim_.parts(job), job, sim_.now_ + sim_.planned(job),
                               sim_.choose_gpus(job, own.nodes));
            held_.push_back(std::move(own));
        } else {
            start(job, victims);
        }
    }
    for (const Held& own : held_) {
        sim_.states_->leave(own.nodes, sim_.parts(own.job), own.job);
    }
}

bool Preemption::is_blocked(JobIndex job) const {
    const Machine& machine = sim_.states_->machine();
    return std::any_of(blocked_.begin(), blocked_.end(), [&](JobIndex other) {
        for (const Part& part : sim_.parts(job)) {
            for (const Part& its : sim_.parts(other)) {
                if (machine.meet(part.set, its.set)) return true;
            }
        }
        return false;
    });
}

Time Preemption::expected_release(JobIndex job) const {
    return std::max(sim_.release_time(job), sim_.soonest_release());
}

bool Preemption::may_take(JobIndex job, JobIndex other) const {
    const JobTable& table = *sim_.table_;
    if (sim_.start_[other] == sim_.now_ || table.when_preempted[other] == WhenPreempted::never) {
        return false;
    }
    if (sim_.options_.preempt_by == PreemptBy::srpt) {
        // Both in ticks: else two jobs could preempt each other for ever.
        return sim_.planned(job) < expected_release(other) - sim_.now_;
    }
    return !table.tier.empty() && table.tier[job] > table.tier[other];
}

std::vector<JobIndex> Preemption::candidates(JobIndex job) const {
    using Rank = std::tuple<Time, Time, JobIndex>;
    std::vector<Rank> ranked;
    for (const JobIndex other : running_) {
        if (!sim_.is_running(other) || !may_take(job, other)) continue;
        const Time first = sim_.options_.preempt_by == PreemptBy::srpt
                               ? -expected_release(other)
                               : sim_.table_->tier[other];
        ranked.emplace_back(first, -sim_.start_[other], -other);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<JobIndex> found;
    for (const auto& [rank, start, minus_job] : ranked) found.push_back(-minus_job);
    return found;
}

bool Preemption::fits(JobIndex job) const {
    return sim_.states_->has_room(sim_.parts(job), sim_.barred(job));
}

bool Preemption::make_room(JobIndex job, std::vector<JobIndex>& victims) {
    if (fits(job)) return true;
    const std::vector<JobIndex> all = candidates(job);
    bool fits_now = false;
    for (std::size_t i = 0; i < all.size() && !fits_now; ++i) {
        leave(all[i]);
        victims.push_back(all[i]);
        fits_now = fits(job);
    }
    if (!fits_now) {
        for (const JobIndex other : victims) come_back(other);
        return false;
    }
    std::erase_if(victims, [&](JobIndex other) {
        come_back(other);
        if (fits(job)) return true;  // it need not go
        leave(other);
        return false;
    });
    return true;
}

void Preemption::leave(JobIndex job) {
    sim_.states_->leave(sim_.held_by(job), sim_.parts(job), job);
}

void Preemption::come_back(JobIndex job) {
    sim_.states_->hold(sim_.held_by(job), sim_.parts(job), job, sim_.release_time(job),
                       sim_.gpus_of(job));
}

void Preemption::start(JobIndex job, const std::vector<JobIndex>& victims) {
    Placement nodes;
    sim_.choose(job, nodes);
    for (const JobIndex other : victims) {
        come_back(other);
        switch (sim_.table_->when_preempted[other]) {
            case WhenPreempted::suspend:
                sim_.interrupt(other, WhyEnded::suspended, true);
                break;
            case WhenPreempted::requeue:
                sim_.interrupt(other, WhyEnded::preempted, true);
                break;
            default:
                sim_.interrupt(other, WhyEnded::preempted, false);
        }
    }
    sim_.start_on(sim_.queue_.find(job), nodes);
}

}  // namespace schedlab
