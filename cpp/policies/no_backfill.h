#pragma once

#include "policies/ordered_policy.h"

namespace schedlab {

// Starts jobs in order; the first that does not fit blocks.
class NoBackfill : public OrderedPolicy {
  public:
    using OrderedPolicy::OrderedPolicy;
    std::shared_ptr<Policy> clone() const override { return std::make_shared<NoBackfill>(*this); }
    void schedule(View& view) override;
};

}  // namespace schedlab
