#pragma once

#include <vector>

#include "core/node_plan.h"
#include "core/waiting_queue.h"
#include "policies/ordered_policy.h"

namespace schedlab {

// EASY as Batsim's `easy_bf` does it: the head reserves whole nodes, the lowest-numbered of those
// that will have room at its time. A job that would still run then must avoid these nodes. The
// reservation is replanned only when a job has ended, its time has come or another job has become
// the head; if no job has ended, only new jobs are tried.
class EasyNodes : public OrderedPolicy {
  public:
    using OrderedPolicy::OrderedPolicy;
    std::shared_ptr<Policy> clone() const override { return std::make_shared<EasyNodes>(*this); }
    void begin(const View& view) override;
    void schedule(View& view) override;

  private:
    using Position = WaitingQueue::Position;

    void plan_head(View& view, Position end);
    // The time and the nodes that the head reserves.
    NodePlan::Slot slot_of_head(const View& view) const;
    void try_start(View& view, Position position);

    bool begun_ = false;  // after the first pass, for which all waiting jobs are new
    JobIndex head_ = kNoJob;
    NodePlan::Slot head_slot_;
    NodePlan plan_{Hold::nodes};  // where the machine is not one pool: running jobs and the head
};

}  // namespace schedlab
