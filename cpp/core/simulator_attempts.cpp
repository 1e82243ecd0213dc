// Attempts of jobs that are interrupted: what is lost, and how they wait again.

#include <algorithm>

#include "core/simulator.h"

namespace schedlab {

void Simulator::interrupt_all(const NodeSet& nodes, WhyEnded why) {
    std::vector<JobIndex> hit;
    const auto look_at = [&](JobIndex job) {
        for (const NodeRange range : nodes_of(job)) {
            for (NodeIndex node = range.first; node <= range.last; ++node) {
                if (nodes.has(node)) {
                    hit.push_back(job);
                    return;
                }
            }
        }
    };
    for (const Event& end : events_[EventKind::end].all()) {
        if (!is_void_end(end)) look_at(end.index);
    }
    for (const JobIndex job : suspended_) look_at(job);
    std::sort(hit.begin(), hit.end());
    hit.erase(std::unique(hit.begin(), hit.end()), hit.end());
    for (const JobIndex job : hit) {
        if (is_running(job)) {
            interrupt(job, why, may_requeue(job));
        } else {
            give_up_waiting(job, may_requeue(job));
        }
    }
}

void Simulator::interrupt(JobIndex job, WhyEnded why, bool again) {
    release_nodes(job);
    releases_.remove(release_time(job), table_->nodes[job]);
    end_[job] = now_;
    progress_[job].attempt = static_cast<std::int32_t>(attempts_.size());
    attempts_.push_back({job, start_[job], now_, why, 0, ranges_begin_[job], ranges_count_[job]});
    if (why == WhyEnded::suspended) {
        bind_to_nodes(job);
        wait_again(job, work(job));
    } else {
        give_up(job, again);
    }
}

void Simulator::give_up(JobIndex job, bool again) {
    const Time interval = table_->checkpoint.empty() ? 0 : table_->checkpoint[job];
    const Time done = work(job);
    const Time kept = again && interval > 0 ? done - done % interval : 0;
    attempts_[progress_[job].attempt].lost = done - kept;
    if (again) {
        wait_again(job, kept);
        return;
    }
    state_[job] = JobState::killed;
    upset_ = true;
    finish(job, now_);
}

void Simulator::give_up_waiting(JobIndex job, bool again) {
    queue_.remove(queue_.find(job));
    unbind(job);
    const Attempt& last = attempts_[progress_[job].attempt];
    start_[job] = last.start;
    end_[job] = last.end;
    give_up(job, again);
}

void Simulator::wait_again(JobIndex job, Time kept) {
    Progress& own = progress_[job];
    const Time expected = expected_run_[job] + own.saved;
    own.saved = kept;
    expected_run_[job] = std::max<Time>(1, expected - kept);
    start_[job] = kNone;
    end_[job] = kNone;
    enqueue(job, own.arrival);
    submitted_.push_back(job);
    misplaced_ = true;
    upset_ = true;
}

void Simulator::bind_to_nodes(JobIndex job) {
    Demand bound{{}, kNoGuest};
    for_each_node(held_by(job), parts(job), [&](NodeIndex node, const Part& part) {
        bound.parts.push_back({options_.machine->place_of_node(node), 1, part.share});
    });
    progress_[job].asked = table_->demand[job];
    JobTable& table = own_table();
    table.demand[job] = table.place_of(bound);
    suspended_.push_back(job);
}

void Simulator::unbind(JobIndex job) {
    std::int32_t& asked = progress_[job].asked;
    if (asked < 0) return;
    own_table().demand[job] = asked;
    asked = -1;
    std::erase(suspended_, job);
}

}  // namespace schedlab
