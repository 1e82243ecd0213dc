#pragma once

#include <limits>
#include <vector>

#include "core/simulator.h"

namespace schedlab {

// Lets waiting jobs take the nodes of running ones before a pass.
//
// Jobs are looked at in the order of the queue. One that fits is left to the policy, and its nodes
// are held for it. One that fits only in the place of running jobs starts there. After a job that
// does not fit even so, no job that may use the same nodes preempts another.
class Preemption {
  public:
    explicit Preemption(Simulator& sim) : sim_(sim) {}
    void preempt();

  private:
    // Finds what a job needs to preempt at least one of the running jobs.
    void find_easiest();
    bool may_take_easiest(JobIndex job) const;
    // The waiting jobs in order, up to the last that may preempt a running one.
    std::vector<JobIndex> who_may_take_some() const;
    bool is_blocked(JobIndex job) const;
    void block(JobIndex job);
    bool is_safe(JobIndex job) const;  // no job may take its nodes
    bool may_take(JobIndex job, JobIndex other) const;
    Time expected_release(JobIndex job) const;
    // The running jobs that it may preempt, in the order in which they leave.
    std::vector<JobIndex> candidates(JobIndex job) const;
    bool fits(JobIndex job) const;
    // Return whether the job fits in the place of the victims, which have then given back their
    // nodes. Other jobs hold theirs as before.
    bool make_room(JobIndex job, std::vector<JobIndex>& victims);
    void start(JobIndex job, const std::vector<JobIndex>& victims);
    void leave(JobIndex job);
    void come_back(JobIndex job);

    // Nodes that are held for a job that fits.
    struct Held {
        JobIndex job;
        Placement nodes;
    };

    Simulator& sim_;
    std::vector<JobIndex> running_;
    std::vector<Held> held_;
    NodeSet blocked_;  // no job preempts another there any more
    static constexpr std::int32_t kNoTier = std::numeric_limits<std::int32_t>::max();
    std::int32_t lowest_tier_ = kNoTier;
    Time latest_release_ = 0;
};

}  // namespace schedlab
