#pragma once

#include <span>
#include <vector>

#include "core/availability_profile.h"
#include "core/job.h"

namespace schedlab {

// Free nodes of each cluster over time as a plan has them; a job gets its nodes of all clusters
// that it needs at the same time. A pool of nodes is one cluster.
class ClusterPlan {
  public:
    using Needs = std::span<const ClusterNeed>;

    // Forgets everything: so many nodes of each cluster from `now` on.
    void clear(Time now, std::span<const NodeCount> free);
    // The plan of the running jobs alone, on one pool.
    void rebuild(Time now, NodeCount free, const ReleaseList& releases, Time soonest);

    // Occupies the nodes during [start, end).
    void reserve(Time start, Time end, Needs needs);
    void release(Time start, Time end, Needs needs);

    // The first time from `from` on at which all the nodes are free together for `duration`.
    Time earliest_from(Time from, Needs needs, Time duration) const;
    bool fits_at(Time start, Needs needs, Time duration) const {
        return earliest_from(start, needs, duration) == start;
    }

  private:
    std::vector<AvailabilityProfile> clusters_;
};

}  // namespace schedlab
