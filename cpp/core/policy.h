#pragma once

#include <memory>

#include "core/order.h"

namespace schedlab {

class View;

// Decides at each pass which waiting jobs start.
class Policy {
  public:
    Policy() = default;
    virtual ~Policy() = default;

    // Return a copy with all that it keeps between passes, for a fork of the simulation.
    virtual std::shared_ptr<Policy> clone() const = 0;

    // How many waiting jobs a pass considers at most.
    virtual std::size_t depth() const { return static_cast<std::size_t>(-1); }
    // The order in which the queue is kept; null means arrival.
    virtual std::shared_ptr<Order> order() const { return nullptr; }
    // Called before the first pass of a simulation, or when a running one gets this policy: forget
    // any earlier one. Jobs may run and wait already.
    virtual void begin(const View&) {}
    virtual void schedule(View& view) = 0;

  protected:
    Policy(const Policy&) = default;
};

}  // namespace schedlab
