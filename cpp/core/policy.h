#pragma once

#include <memory>

#include "core/order.h"

namespace schedlab {

class View;

// Decides at each pass which waiting jobs start.
class Policy {
  public:
    Policy() = default;
    Policy(const Policy&) = delete;  // policies keep state between passes
    virtual ~Policy() = default;

    // The order in which the queue is kept; null means arrival.
    virtual std::shared_ptr<Order> order() const { return nullptr; }
    // Called before the first pass of a simulation: forget any earlier one.
    virtual void begin(const View&) {}
    virtual void schedule(View& view) = 0;
};

}  // namespace schedlab
