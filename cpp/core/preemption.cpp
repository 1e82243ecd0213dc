#include "core/preemption.h"

#include <algorithm>
#include <tuple>

#include "core/view.h"

namespace schedlab {

void Preemption::preempt() {
    find_easiest();
    const std::vector<JobIndex> considered = who_may_take_some();
    if (considered.empty()) return;
    running_ = View(sim_).running();
    const NodeCount all = sim_.states_->machine().nodes();
    blocked_ = NodeSet(all, {});
    for (const JobIndex job : considered) {
        if (blocked_.count() == all) break;
        if (is_blocked(job)) continue;
        std::vector<JobIndex> victims;
        if (!make_room(job, victims)) {
            block(job);
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

std::vector<JobIndex> Preemption::who_may_take_some() const {
    std::vector<JobIndex> found;
    const WaitingQueue& queue = sim_.queue_;
    if (queue.empty() || lowest_tier_ == kNoTier) return found;
    const bool by_tier = sim_.options_.preempt_by != PreemptBy::srpt;
    if (by_tier && !may_take_easiest(queue.job(queue.first()))) return found;  // the highest tier
    const auto end = queue.end_of_first(sim_.depth_);
    for (auto at = queue.first(); at < end; at = queue.next(at)) {
        if (by_tier && !may_take_easiest(queue.job(at))) break;
        found.push_back(queue.job(at));
    }
    while (!found.empty() && !may_take_easiest(found.back())) found.pop_back();
    return found;
}

void Preemption::find_easiest() {
    const JobTable& table = *sim_.table_;
    for (const Event& end : sim_.events_[EventKind::end].all()) {
        const JobIndex job = end.index;
        if (sim_.is_void_end(end) || is_safe(job)) continue;
        lowest_tier_ = std::min(lowest_tier_, table.tier.empty() ? 0 : table.tier[job]);
        latest_release_ = std::max(latest_release_, expected_release(job));
    }
}

bool Preemption::may_take_easiest(JobIndex job) const {
    if (sim_.options_.preempt_by == PreemptBy::srpt) {
        return sim_.planned(job) < latest_release_ - sim_.now_;
    }
    return !sim_.table_->tier.empty() && sim_.table_->tier[job] > lowest_tier_;
}

bool Preemption::is_blocked(JobIndex job) const {
    const auto parts = sim_.parts(job);
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
        return blocked_.meets(sim_.states_->machine().sets()[part.set]);
    });
}

void Preemption::block(JobIndex job) {
    for (const Part& part : sim_.parts(job)) {
        blocked_.add(sim_.states_->machine().sets()[part.set]);
    }
}

Time Preemption::expected_release(JobIndex job) const {
    return std::max(sim_.release_time(job), sim_.soonest_release());
}

bool Preemption::is_safe(JobIndex job) const {
    return sim_.start_[job] == sim_.now_ ||
           sim_.table_->when_preempted[job] == WhenPreempted::never;
}

bool Preemption::may_take(JobIndex job, JobIndex other) const {
    const JobTable& table = *sim_.table_;
    if (is_safe(other)) return false;
    if (sim_.options_.preempt_by == PreemptBy::srpt) {
        // Both are whole ticks: otherwise two jobs could preempt each other for ever.
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
    if (!may_take_easiest(job)) return false;
    const std::vector<JobIndex> all = candidates(job);
    std::size_t gone = 0;  // how many have left
    const auto go_to = [&](std::size_t count) {
        while (gone < count) leave(all[gone++]);
        while (gone > count) come_back(all[--gone]);
        return fits(job);
    };
    // Remove more and more of them, then find the smallest number that is enough.
    std::size_t few = 0, enough = 0;
    for (std::size_t step = 1; enough == 0; step *= 2) {
        if (few == all.size()) {
            go_to(0);
            return false;
        }
        const std::size_t next = std::min(few + step, all.size());
        (go_to(next) ? enough : few) = next;
    }
    while (enough - few > 1) {
        const std::size_t half = few + (enough - few) / 2;
        (go_to(half) ? enough : few) = half;
    }
    go_to(enough);
    victims.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(enough));
    std::erase_if(victims, [&](JobIndex other) {
        come_back(other);
        if (fits(job)) return true;  // it need not leave
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
