#include "core/view.h"

#include <algorithm>
#include <string>

namespace schedlab {

WaitingJob View::waiting(WaitingQueue::Position position) const {
    return sim_->waiting_job(queue().job(position), queue().arrival(position));
}

WaitingQueue::Position View::waiting_position(JobIndex job) const {
    if (!sim_->deciding_) throw PolicyError("jobs can be started or reserved only during a pass");
    if (job < 0 || static_cast<std::size_t>(job) >= jobs()) {
        throw PolicyError("there is no job at position " + std::to_string(job) +
                          "; the workload has " + std::to_string(jobs()) + " jobs");
    }
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

bool View::fits(JobIndex job) const {
    waiting_position(job);
    return enough_free(job);
}

bool View::can_start(JobIndex job) {
    return fits(job) && sim_->plan().fits_now(nodes(job), planned(job));
}

void View::start_job(JobIndex job) {
    const auto position = waiting_position(job);
    if (!enough_free(job)) {
        throw PolicyError("job " + std::to_string(id(job)) + " needs " +
                          std::to_string(nodes(job)) + " nodes but only " +
                          std::to_string(free_nodes()) + " are free");
    }
    // The plan of this pass follows: a reservation for now turns into the run itself.
    auto& reserved = sim_->reserved_;
    const auto own = std::find_if(reserved.begin(), reserved.end(),
                                  [job](const auto& r) { return r.job == job; });
    const bool reserved_for_now = own != reserved.end() && own->time == now();
    if (own != reserved.end() && !reserved_for_now) {
        sim_->plan().release(own->time, own->time + planned(job), nodes(job));
        reserved.erase(own);
    }
    if (sim_->plan_made_ && !reserved_for_now) {
        const bool lawful = sim_->plan_->fits_now(nodes(job), planned(job));
        if (lawful) {
            sim_->plan_->reserve(now(), now() + planned(job), nodes(job));
        } else {
            sim_->plan_made_ = false;  // the policy overrules its reservations: plan anew
            reserved.clear();
        }
    }
    sim_->start(position);
}

Time View::reserve(JobIndex job) {
    waiting_position(job);
    for (const auto& own : sim_->reserved_) {
        if (own.job == job) return own.time;
    }
    const Time start = sim_->plan().reserve_earliest(nodes(job), planned(job));
    sim_->reserved_.push_back({start, job});
    sim_->promise(job, start);
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
