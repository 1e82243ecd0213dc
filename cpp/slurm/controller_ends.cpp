// How jobs end: by themselves, at their limit, by preemption, or by an order.

#include <algorithm>
#include <utility>
#include <vector>

#include "slurm/controller.h"

namespace schedlab::slurm {
namespace {

constexpr Moment kLatestAnswer = 0.9;  // nodes answer a kill within this time

}  // namespace

void Controller::test_limits(Second second) {
    std::vector<TwinJob*> running = running_, killed;
    std::erase_if(running, [](const TwinJob* job) { return job->is_suspended; });
    for (TwinJob* job : running) {
        if (job->is_marked && job->limit_end <= second) {
            end_preempted(*job);
        } else if (job->limit_end + site_.settings.over_time_limit_s + job->row->unseen_s <= second ||
                   limits_.has_run_out(*job, second)) {
            killed.push_back(job);
        }
    }
    // Few nodes answer sooner than many.
    std::stable_sort(killed.begin(), killed.end(), [](const TwinJob* a, const TwinJob* b) {
        return a->shares.size() < b->shares.size();
    });
    for (TwinJob* job : killed) kill(*job, Ending::timeout);
}

void Controller::kill(TwinJob& job, Ending how) {
    finish(job, how);
    const auto& known = phases_.after_kills;
    const auto next = std::upper_bound(known.begin(), known.end(), std::max(now_, answered_));
    Moment answer = now_ + phases_.after_kill_s;
    if (next != known.end() && *next <= now_ + kLatestAnswer) answer = answered_ = *next;
    job.completed = answer;
    for (const NodeShare& share : job.shares) completing_[share.node] = answer;
    push(answer, What::main_now);
}

void Controller::finish(TwinJob& job, Ending how) {
    if (how != Ending::preempted) progress_ = now_;
    job.stage = Stage::done;
    job.is_marked = job.is_suspended = job.is_shadowed = false;
    job.how = how;
    job.completed = now_ + phases_.complete_s;
    std::vector<NodeIndex> nodes;
    for (const NodeShare& share : job.shares) nodes.push_back(share.node);
    job.runs.push_back({job.start, now_, std::move(nodes), job.started_by, how});
    std::erase(running_, &job);
    for (const NodeShare& share : job.shares) {
        rooms_[share.node].give(share);
        completing_[share.node] = job.completed;
    }
    eligible_.ended(job);
    limits_.ended(job, second(now_));
    priorities_.charge(job, now_);
    changed_ = true;
    share_by_tier();
}

void Controller::withdraw(TwinJob& job) {
    job.stage = Stage::done;
    job.how = Ending::cancelled;
    job.completed = now_;
    leave_queue(job);
    changed_ = true;
}

void Controller::take_room_of(TwinJob& victim) {
    const std::int64_t grace = victim.row->grace_s;
    if (grace && !victim.is_marked) {
        victim.is_marked = true;
        victim.limit_end = std::min(victim.limit_end, second(now_) + grace);
    } else if (!grace || second(now_) >= victim.limit_end) {
        end_preempted(victim);
    }
}

void Controller::end_preempted(TwinJob& victim) {
    if (victim.row->may_requeue && !site_.settings.preempt_cancels) {
        requeue(victim, Ending::preempted);
    } else {
        cancel(victim, Ending::preempted);
    }
}

void Controller::cancel(TwinJob& job, Ending how) {
    if (job.stage == Stage::running) {
        kill(job, how);
    } else if (job.stage == Stage::pending) {
        withdraw(job);
    }
}

void Controller::requeue(TwinJob& job, Ending how) {
    if (job.stage != Stage::running) return;
    kill(job, how);
    job.stage = Stage::pending;
    job.submit = job.accrue = now_;
    // Its credential must expire first.
    job.begin = static_cast<Moment>(second(now_) - site_.epoch + site_.settings.cred_expire_s + 1);
    enter_queue(job);
}

}  // namespace schedlab::slurm
