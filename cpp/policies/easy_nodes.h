#pragma once

#include <vector>

#include "core/node_pool.h"
#include "core/release_list.h"
#include "core/waiting_queue.h"
#include "policies/ordered_policy.h"

namespace schedlab {

// EASY as Batsim's `easy_bf` does it: the head reserves the lowest-numbered of the nodes that will
// be free at its time, and a job that would run into that time must avoid these very nodes. The
// reservation is planned anew only when a job has ended or another job has become the head; where
// no job has ended, only newcomers are tried.
class EasyNodes : public OrderedPolicy {
  public:
    using OrderedPolicy::OrderedPolicy;
    std::shared_ptr<Policy> clone() const override { return std::make_shared<EasyNodes>(*this); }
    void begin(const View& view) override;
    void schedule(View& view) override;

  private:
    using Position = WaitingQueue::Position;

    void plan_head(View& view, Position end);
    void try_start(View& view, Position position);

    bool begun_ = false;  // with a first pass, to which all waiting jobs are new
    JobIndex head_ = kNoJob;
    Time head_start_ = kNone;
    std::vector<NodeRange> head_nodes_;
};

}  // namespace schedlab
