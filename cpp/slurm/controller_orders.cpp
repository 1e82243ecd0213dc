// What slurmctld does when an operator gives an order, and when nodes fail.

#include <algorithm>
#include <vector>

#include "slurm/controller.h"

namespace schedlab::slurm {

template <typename Change>
void Controller::rank_again(TwinJob& job, Change change) {
    const bool waits = job.stage == Stage::pending;
    if (waits) queue_.remove(job);
    change();
    if (waits) queue_.add(job);
}

void Controller::obey(const OrderRow& order) {
    using Kind = OrderRow::Kind;
    if (order.kind != Kind::cancel && order.kind != Kind::requeue && order.kind != Kind::none) {
        asked_ += order.jobs.empty() ? 1 : 0;
    }
    switch (order.kind) {
        case Kind::drain: return close(order.nodes, false);
        case Kind::down: return take_down(order.nodes);
        case Kind::resume: return open(order.nodes);
        case Kind::create_reservation: return calendar_.add(order.reservation);
        case Kind::delete_reservation:
            return calendar_.remove(static_cast<std::int32_t>(order.value));
        case Kind::partition_up: closed_[order.value] = false; return;
        case Kind::partition_down: closed_[order.value] = true; return;
        default: break;
    }
    for (const JobNumber number : order.jobs) {
        if (jobs_[number].stage != Stage::done) obey(order, jobs_[number]);
    }
}

void Controller::obey(const OrderRow& order, TwinJob& job) {
    using Kind = OrderRow::Kind;
    switch (order.kind) {
        case Kind::cancel: return cancel(job, Ending::cancelled);
        case Kind::hold:
            job.held = job.stage == Stage::pending;
            job.reason = job.held ? kHeldByAdmin : kNoReason;
            ++asked_;
            return;
        case Kind::release: return release(job);
        case Kind::requeue: return requeue(job, Ending::requeued);
        case Kind::nice:
            return set_nice(job.number, order.value);
        case Kind::array_limit:
            job.array_limit = order.value;
            ++asked_;
            return;
        case Kind::suspend: return suspend(job);
        case Kind::unsuspend: return unsuspend(job);
        default: return;
    }
}

void Controller::set_nice(JobNumber number, std::int64_t nice) {
    TwinJob& job = jobs_[number];
    ++asked_;
    changed_ = true;
    rank_again(job, [&] {
        job.priority += job.nice - nice;
        job.nice = nice;
    });
}

void Controller::release(TwinJob& job) {
    job.held = false;
    job.reason = kNoReason;
    job.accrue = now_;
    rank_again(job, [&] { priorities_.set(job, now_); });
    ++asked_;
}

void Controller::close(const Nodes& nodes, bool is_outage) {
    drained_.add(nodes);
    changed_ = true;
    if (!is_outage) return;
    const std::vector<TwinJob*> running = running_;
    for (TwinJob* job : running) {
        const bool is_there =
            std::any_of(job->shares.begin(), job->shares.end(),
                        [&](const NodeShare& share) { return nodes.has(share.node); });
        if (!is_there) continue;
        if (job->row->may_requeue) {
            requeue(*job, Ending::node_fail);
        } else {
            finish(*job, Ending::node_fail);
        }
    }
}

// With ReturnToService=2 a node that answers is back: at once if jobs ran there, otherwise when it
// is pinged.
void Controller::take_down(const Nodes& nodes) {
    Nodes busy(site_.node_count(), {}), idle = nodes;
    for (const TwinJob* job : running_) {
        for (const NodeShare& share : job->shares) {
            if (nodes.has(share.node) && !busy.has(share.node)) busy.add(share.node);
        }
    }
    close(nodes, true);
    if (!site_.settings.returns_by_itself) return;
    open(busy);
    idle.remove(busy);
    pinged_.push_back(std::move(idle));
    push(now_ + static_cast<Moment>(site_.settings.ping_s), What::ping, pinged_.size() - 1);
}

void Controller::open(const Nodes& nodes) {
    drained_.remove(nodes);
    changed_ = true;
}

}  // namespace schedlab::slurm
