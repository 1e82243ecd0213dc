#include "env/makespan_bound.h"

#include <algorithm>
#include <cmath>

namespace schedlab {

MakespanBound::MakespanBound(const Simulator& simulator) : sim_(&simulator) {
    const JobTable& jobs = sim_->table();
    last_of_later_.assign(jobs.size() + 1, 0);
    for (std::size_t i = jobs.size(); i-- > 0;) {
        const auto job = static_cast<JobIndex>(i);
        const Time runs = sim_->run_time(job);
        last_of_later_[i] = std::max(last_of_later_[i + 1], jobs.submit[i] + runs);
        waiting_work_ += static_cast<double>(jobs.nodes[i]) * static_cast<double>(runs);
    }
}

void MakespanBound::started(JobIndex job) {
    const auto nodes = static_cast<double>(sim_->table().nodes[job]);
    const Time end = sim_->end_times()[job];
    waiting_work_ -= nodes * static_cast<double>(sim_->run_time(job));
    running_nodes_ += nodes;
    running_ends_ += nodes * static_cast<double>(end);
    last_end_ = std::max(last_end_, end);
}

void MakespanBound::completed(JobIndex job) {
    const auto nodes = static_cast<double>(sim_->table().nodes[job]);
    running_nodes_ -= nodes;
    running_ends_ -= nodes * static_cast<double>(sim_->end_times()[job]);
}

// When the last of the jobs that have not started would end if each started as soon as possible.
Time MakespanBound::last_of_waiting() const {
    const std::vector<Time>& submit = sim_->table().submit;
    const WaitingQueue& queue = sim_->queue();
    Time longest = 0;
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        longest = std::max(longest, sim_->run_time(queue.job(at)));
    }
    const auto later = std::upper_bound(submit.begin(), submit.end(), sim_->now());
    return std::max(longest > 0 ? sim_->now() + longest : 0,
                    last_of_later_[later - submit.begin()]);
}

Time MakespanBound::now() const {
    const auto now = static_cast<double>(sim_->now());
    const double running_work = running_ends_ - now * running_nodes_;
    const double packed = now + (waiting_work_ + running_work) / sim_->nodes();
    return std::max({last_end_, last_of_waiting(), static_cast<Time>(std::ceil(packed))});
}

}  // namespace schedlab
