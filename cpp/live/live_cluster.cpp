#include "live/live_cluster.h"

#include <algorithm>
#include <cassert>

#include "core/view.h"

namespace schedlab {
namespace {

constexpr Time kUntilTold = Time{1} << 60;  // longer than any job runs

}  // namespace

// The system that runs the cluster kills jobs and reports their ends.
LiveCluster::LiveCluster(NodeCount nodes, Time tick, std::shared_ptr<Predictor> predictor)
    : sim_(std::make_shared<Simulator>(
          JobTable{}, Options{.nodes = nodes, .tick = tick, .kill_at_request = false},
          std::move(predictor))) {}

JobIndex LiveCluster::submit(std::int64_t id, Time time, NodeCount nodes, Time request,
                             std::int64_t user) {
    return sim_->add_job({id, time, nodes, request, kUntilTold, user});
}

void LiveCluster::end(JobIndex job, Time time) {
    assert(sim_->is_running(job));
    sim_->end_[job] = std::max(time, sim_->start_[job]);
    sim_->table_->run[job] = sim_->end_[job] - sim_->start_[job];
    sim_->events_[EventKind::end].push({sim_->end_[job], job});
}

std::vector<JobIndex> LiveCluster::decide(Policy& policy, Time time) {
    sim_->now_ = std::max(sim_->now_, time);
    if (!sim_->advance(time)) return {};
    View view(*sim_);
    policy.schedule(view);
    return sim_->started_;
}

Time LiveCluster::next_pass() {
    const Time next = sim_->next_event();
    return next < kUntilTold ? next : kNever;
}

}  // namespace schedlab
