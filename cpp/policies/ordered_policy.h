#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "core/policy.h"

namespace schedlab {

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// A policy over a queue in some order, of which a pass considers the first `depth` jobs.
class OrderedPolicy : public Policy {
  public:
    OrderedPolicy(std::shared_ptr<Order> order, std::size_t depth)
        : order_(std::move(order)), depth_(depth) {}

    std::shared_ptr<Order> order() const override { return order_.pointer(); }
    std::size_t depth() const override { return depth_; }

  private:
    OwnOrder order_;
    std::size_t depth_;
};

}  // namespace schedlab
