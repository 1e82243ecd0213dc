#include "core/cluster_plan.h"

#include <algorithm>

namespace schedlab {

void ClusterPlan::clear(Time now, std::span<const NodeCount> free) {
    clusters_.resize(free.size(), AvailabilityProfile(0));
    for (std::size_t i = 0; i < free.size(); ++i) clusters_[i].clear(now, free[i]);
}

void ClusterPlan::rebuild(Time now, NodeCount free, const ReleaseList& releases, Time soonest) {
    clusters_.resize(1, AvailabilityProfile(0));
    clusters_[0].rebuild(now, free, releases, soonest);
}

void ClusterPlan::reserve(Time start, Time end, Needs needs) {
    for (const auto [cluster, nodes] : needs) clusters_[cluster].reserve(start, end, nodes);
}

void ClusterPlan::release(Time start, Time end, Needs needs) {
    for (const auto [cluster, nodes] : needs) clusters_[cluster].release(start, end, nodes);
}

Time ClusterPlan::earliest_from(Time from, Needs needs, Time duration) const {
    for (;;) {
        Time latest = from;
        for (const auto [cluster, nodes] : needs) {
            latest = clusters_[cluster].earliest_from(latest, nodes, duration);
        }
        if (latest == from) return from;
        from = latest;
    }
}

}  // namespace schedlab
