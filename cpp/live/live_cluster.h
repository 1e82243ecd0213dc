#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/simulator.h"

namespace schedlab {

// A cluster that another system runs: jobs arrive and end, and passes run, when the caller says so
// and at the times that it gives. A simulator inside lets a policy decide as it does in any
// simulation.
class LiveCluster {
  public:
    LiveCluster(NodeCount nodes, Time tick, std::shared_ptr<Predictor> predictor);

    // Call it before the first job.
    void use(Policy& policy) { sim_->use(policy); }

    // Times must not decrease from one call to the next.
    JobIndex submit(std::int64_t id, Time time, NodeCount nodes, Time request, std::int64_t user);
    // The job must be running.
    void end(JobIndex job, Time time);
    // Runs the pass due at that time, if any, and returns the jobs that it starts, in order.
    std::vector<JobIndex> decide(Policy& policy, Time time);
    // When the next pass is due if nothing is reported before; kNever if none is.
    Time next_pass();

    std::span<const NodeRange> nodes_of(JobIndex job) const { return sim_->nodes_of(job); }

  private:
    std::shared_ptr<Simulator> sim_;
};

}  // namespace schedlab
