#pragma once

#include "policies/ordered_policy.h"

namespace schedlab {

// Starts jobs in order; the first that does not fit blocks.
class NoBackfill : public OrderedPolicy {
  public:
    using OrderedPolicy::OrderedPolicy;
    void schedule(View& view) override;
};

}  // namespace schedlab
