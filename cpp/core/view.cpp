#include "core/view.h"

#include <algorithm>
#include <string>

namespace schedlab {

WaitingJob View::waiting(WaitingQueue::Position position) const {
    return sim_->waiting_job(queue().job(position), queue().arrival(position));
}

void View::require_job(JobIndex job) const {
    if (job < 0 || static_cast<std::size_t>(job) >= jobs()) {
        throw PolicyError("there is no job at position " + std::to_string(job) +
                          "; the workload has " + std::to_string(jobs()) + " jobs");
    }
}

void View::require_started(JobIndex job) const {
    require_job(job);
    if (start_of(job) == kNone) {
        throw PolicyError("job " + std::to_string(id(job)) + " has not been started");
    }
}

WaitingQueue::Position View::waiting_position(JobIndex job) const {
    if (!sim_->deciding_) throw PolicyError("jobs can be started or reserved only during a pass");
    require_job(job);
    const auto position = queue().find(job);
    if (position == queue().end()) {
        const bool started = sim_->start_[job] != kNone;
        const bool withdrawn = sim_->state_[job] == JobState::cancelled;
        throw PolicyError("job " + std::to_string(id(job)) + " is not waiting: it " +
                          (started     ? "has been started already"
                           : withdrawn ? "was withdrawn"
                                       : "is not submitted yet"));
    }
    return position;
}

std::vector<JobIndex> View::running() const {
    std::vector<JobIndex> jobs;
    for (const Event& end : sim_->events_[EventKind::end].all()) {
        if (!sim_->is_void_end(end)) jobs.push_back(end.index);
    }
    std::sort(jobs.begin(), jobs.end(), [this](JobIndex a, JobIndex b) {
        return start_of(a) != start_of(b) ? start_of(a) < start_of(b) : a < b;
    });
    jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
    return jobs;
}

std::vector<NodeRange> View::lowest_nodes_free_at(Time time, NodeCount count) const {
    NodePool then = sim_->pool_;
    for (const JobIndex job : running()) {
        const Time release = std::max(expected_release(job), soonest_release());
        if (release <= time) then.give_back(sim_->nodes_of(job));
    }
    std::vector<NodeRange> nodes;
    then.take(count, nodes);
    return nodes;
}

bool View::fits(JobIndex job) const {
    waiting_position(job);
    return has_room(job);
}

NodePlan::Slot View::earliest(JobIndex job, Time from) {
    sim_->make_plan();
    if (const auto* counts = std::get_if<CountPlan>(&sim_->plan_.plan)) {
        return {counts->earliest(*this, job, from).start, {}, {}};
    }
    return std::get<NodePlan>(sim_->plan_.plan).earliest(*this, job, from);
}

void View::change_plan(JobIndex job, const NodePlan::Slot& slot, bool reserve) {
    const auto change = [&](auto& plan, const auto& own) {
        if (reserve) {
            plan.reserve(*this, job, own);
        } else {
            plan.release(*this, job, own);
        }
    };
    if (auto* counts = std::get_if<CountPlan>(&sim_->plan_.plan)) {
        change(*counts, CountPlan::Slot{slot.start});
    } else {
        change(std::get<NodePlan>(sim_->plan_.plan), slot);
    }
}

bool View::can_start_at(JobIndex job, Time time) {
    waiting_position(job);
    // The plan answers the second question, too, but this is faster.
    if (time < now() || (time == now() && !has_room(job))) return false;
    return earliest(job, time).start == time;
}

std::vector<PassPlan::Reserved>::iterator View::reservation(JobIndex job) {
    auto& reserved = sim_->plan_.reserved;
    return std::find_if(reserved.begin(), reserved.end(),
                        [job](const PassPlan::Reserved& own) { return own.job == job; });
}

void View::give_back(JobIndex job) {
    waiting_position(job);
    const auto own = reservation(job);
    if (own == sim_->plan_.reserved.end()) {
        throw PolicyError("job " + std::to_string(id(job)) + " has no reservation in this pass");
    }
    change_plan(job, own->slot, false);
    sim_->plan_.reserved.erase(own);
}

void View::start_job(JobIndex job) {
    const auto position = waiting_position(job);
    if (!has_room(job)) {
        const std::string free = one_pool() ? "only " + std::to_string(free_nodes()) + " are free"
                                            : "too few have room for it";
        throw PolicyError("job " + std::to_string(id(job)) + " needs " +
                          std::to_string(nodes(job)) + " nodes but " + free);
    }
    // Update the plan of this pass: a reservation for now turns into the run itself.
    PassPlan& plan = sim_->plan_;
    NodePlan::Slot slot;
    if (const auto own = reservation(job); own != plan.reserved.end()) {
        if (own->slot.start == now()) {
            slot = std::move(own->slot);
            plan.reserved.erase(own);
        } else {
            give_back(job);
        }
    }
    if (plan.made && slot.start == kNone) {
        slot = earliest(job, now());
        if (slot.start == now()) {
            change_plan(job, slot, true);
        } else {
            slot = {};
            plan.made = false;  // the policy overrules its reservations: plan again
            plan.reserved.clear();
        }
    }
    if (slot.nodes.empty()) {
        sim_->start(position);
    } else {
        sim_->start_on(position, slot.nodes, slot.gpus);
    }
}

Time View::reserve(JobIndex job, std::optional<Time> at, bool as_promise) {
    waiting_position(job);
    if (const auto own = reservation(job); own != sim_->plan_.reserved.end()) {
        return own->slot.start;
    }
    NodePlan::Slot slot = earliest(job, at.value_or(now()));
    if (at && (*at < now() || slot.start != *at)) {
        throw PolicyError("job " + std::to_string(id(job)) + " cannot be reserved at " +
                          std::to_string(*at) + ": too few nodes are free then");
    }
    change_plan(job, slot, true);
    const Time start = slot.start;
    sim_->plan_.reserved.push_back({job, std::move(slot)});
    if (as_promise) sim_->promise(job, start);
    return start;
}

void View::wake_at(Time time) {
    if (time <= now()) {
        throw PolicyError("wake_at(" + std::to_string(time) + ") at time " +
                          std::to_string(now()) + "; must be later");
    }
    sim_->wake_up_ = std::min(sim_->wake_up_, sim_->seen(time));
}

}  // namespace schedlab
