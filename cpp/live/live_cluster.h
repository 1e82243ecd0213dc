#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/simulator.h"

namespace schedlab {

// A cluster that somebody else runs: jobs arrive, start and end when told, by a clock that is told.
// Within is the simulator, so that a policy decides as it does in any simulation.
class LiveCluster {
  public:
    LiveCluster(NodeCount nodes, Time tick, std::shared_ptr<Predictor> predictor);

    // Call it before the first job.
    void use(Policy& policy) { sim_->use(policy); }

    // Times must not fall from one call to the next.
    JobIndex submit(std::int64_t id, Time time, NodeCount nodes, Time request, std::int64_t user);
    // Of a job that runs.
    void end(JobIndex job, Time time);
    // Runs the pass that is due at that time, if one is; the jobs that it starts, in order.
    std::vector<JobIndex> decide(Policy& policy, Time time);
    // When a pass is due next without any message; kNever if none is.
    Time next_pass();

    std::span<const NodeRange> nodes_of(JobIndex job) const { return sim_->nodes_of(job); }

  private:
    std::shared_ptr<Simulator> sim_;
};

}  // namespace schedlab
