// How jobs become eligible, join the queue, and are withdrawn from it.

#include <algorithm>
#include <limits>

#include "core/simulator.h"

namespace schedlab {

void Simulator::let_follow(JobIndex job, Time ended) {
    if (!eligibility_) return;
    std::vector<JobIndex> never;
    eligibility_->ended(job, ended, state_[job] == JobState::completed,
                        events_[EventKind::submission], never);
    for (const JobIndex other : never) {
        events_[EventKind::withdrawal].push({std::max(ended, table_->submit[other]), other});
    }
}

void Simulator::submit_jobs() {
    const std::size_t first_new = submitted_.size();
    for (; next_submission_ < given_ && seen(table_->submit[next_submission_]) <= now_;
         ++next_submission_) {
        const JobIndex job = next_submission_;
        if (is_gated(job) || state_[job] == JobState::cancelled) continue;
        eligible_[job] = table_->submit[job];
        submitted_.push_back(job);
    }
    EventHeap& eligibles = events_[EventKind::submission];
    if (!eligibles.empty()) {
        for (; !eligibles.empty() && seen(eligibles.top().time) <= now_; eligibles.pop()) {
            const auto [time, job] = eligibles.top();
            if (state_[job] == JobState::cancelled) continue;
            eligible_[job] = time;
            submitted_.push_back(job);
        }
        std::sort(submitted_.begin() + first_new, submitted_.end());
        if (eligibility_) hold_back(first_new);
    }
    for (std::size_t i = first_new; i < submitted_.size(); ++i) submit(submitted_[i]);
}

void Simulator::hold_back(std::size_t first_new) {
    const auto held = std::remove_if(
        submitted_.begin() + first_new, submitted_.end(), [&](JobIndex job) {
            if (eligibility_->let_in(job)) return false;
            eligible_[job] = kNone;
            return true;
        });
    submitted_.erase(held, submitted_.end());
}

void Simulator::submit(JobIndex job) {
    if (predictor_) predict(job);
    enqueue(job, arrivals_++);
}

void Simulator::enqueue(JobIndex job, std::int64_t arrival) {
    const WaitingJob newcomer = waiting_job(job, arrival);
    if (queue_.is_grouped()) {
        const SplitKey split = order_->split_key(newcomer);
        queue_.set_offsets(order_->group_offsets());
        queue_.insert(newcomer, split);
        return;
    }
    // A key that changes with time is computed before the pass; until then the last place will do.
    double key = std::numeric_limits<double>::infinity();
    if (!order_) {
        key = 0;
    } else if (order_->keys_change() != KeysChange::always) {
        order_->keys({&newcomer, 1}, machine(), {&key, 1});
    }
    queue_.insert(newcomer, key);
}

void Simulator::cancel_jobs() {
    EventHeap& withdrawals = events_[EventKind::withdrawal];
    while (!withdrawals.empty() && seen(withdrawals.top().time) <= now_) {
        const Event due = withdrawals.top();
        withdrawals.pop();
        if (is_void_withdrawal(due)) continue;
        withdraw(due.index, due.time);
    }
}

void Simulator::withdraw(JobIndex job, Time time) {
    if (eligible_[job] == kNone) {
        eligible_[job] = time;
    } else {
        queue_.remove(queue_.find(job));
    }
    state_[job] = JobState::cancelled;
    cancelled_.push_back(job);
    ++ended_;
    let_follow(job, time);
}

}  // namespace schedlab
