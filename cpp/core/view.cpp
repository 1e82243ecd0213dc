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
    for (const Event& completion : sim_->completions_.all()) jobs.push_back(completion.job);
    std::sort(jobs.begin(), jobs.end(), [this](JobIndex a, JobIndex b) {
        return start_of(a) != start_of(b) ? start_of(a) < start_of(b) : a < b;
    });
    return jobs;
}

std::vector<NodeRange> View::lowest_nodes_free_at(Time time, NodeCount count) const {
    NodePool then = sim_->pool_;
    for (const Event& completion : sim_->completions_.all()) {
        const Time release = std::max(expected_release(completion.job), soonest_release());
        if (release <= time) then.give_back(sim_->nodes_of(completion.job));
    }
    std::vector<NodeRange> nodes;
    then.take(count, nodes);
    return nodes;
}

NodeCount View::free_nodes_of(std::int32_t cluster) const {
    if (clusters().empty()) return free_nodes();
    return sim_->pool_.free_outside(sim_->outside(cluster));
}

std::optional<ClusterNeed> View::lacks(JobIndex job) const {
    for (const ClusterNeed need : needs(job)) {
        if (need.nodes > free_nodes_of(need.cluster)) return need;
    }
    return std::nullopt;
}

bool View::fits(JobIndex job) const {
    waiting_position(job);
    return !lacks(job);
}

bool View::can_start_at(JobIndex job, Time time) {
    waiting_position(job);
    // The second question is answered by the plan too, but sooner without one.
    if (time < now() || (time == now() && lacks(job))) return false;
    return sim_->plan().fits_at(time, needs(job), planned(job));
}

std::vector<Event>::iterator View::reservation(JobIndex job) {
    return std::find_if(sim_->reserved_.begin(), sim_->reserved_.end(),
                        [job](const Event& reserved) { return reserved.job == job; });
}

void View::give_back(JobIndex job) {
    waiting_position(job);
    const auto own = reservation(job);
    if (own == sim_->reserved_.end()) {
        throw PolicyError("job " + std::to_string(id(job)) + " has no reservation in this pass");
    }
    sim_->plan().release(own->time, own->time + planned(job), needs(job));
    sim_->reserved_.erase(own);
}

void View::start_job(JobIndex job) {
    const auto position = waiting_position(job);
    if (const auto lack = lacks(job)) {
        const std::string where =
            clusters().empty() ? "" : " of cluster " + std::to_string(lack->cluster);
        throw PolicyError("job " + std::to_string(id(job)) + " needs " +
                          std::to_string(lack->nodes) + " nodes" + where + " but only " +
                          std::to_string(free_nodes_of(lack->cluster)) + " are free");
    }
    // The plan of this pass follows: a reservation for now turns into the run itself.
    const auto own = reservation(job);
    const bool reserved_for_now = own != sim_->reserved_.end() && own->time == now();
    if (own != sim_->reserved_.end() && !reserved_for_now) give_back(job);
    if (sim_->plan_made_ && !reserved_for_now) {
        const bool lawful = sim_->plan_.fits_at(now(), needs(job), planned(job));
        if (lawful) {
            sim_->plan_.reserve(now(), now() + planned(job), needs(job));
        } else {
            sim_->plan_made_ = false;  // the policy overrules its reservations: plan anew
            sim_->reserved_.clear();
        }
    }
    sim_->start(position);
}

Time View::reserve(JobIndex job, std::optional<Time> at, bool as_promise) {
    waiting_position(job);
    if (const auto own = reservation(job); own != sim_->reserved_.end()) return own->time;
    const auto wanted = needs(job);
    const Time start = sim_->plan().earliest_from(at.value_or(now()), wanted, planned(job));
    if (at && (*at < now() || start != *at)) {
        throw PolicyError("job " + std::to_string(id(job)) + " cannot be reserved at " +
                          std::to_string(*at) + ": too few nodes are free then");
    }
    sim_->plan().reserve(start, start + planned(job), wanted);
    sim_->reserved_.push_back({start, job});
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
