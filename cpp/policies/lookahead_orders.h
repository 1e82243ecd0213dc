#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/order.h"
#include "predictors/run_memory.h"

namespace schedlab {

// The smallest log(mean run time, as past jobs tell) + weight x log(nodes) first.
class PredictedOrder : public Order {
  public:
    explicit PredictedOrder(double weight, std::shared_ptr<const RunMemory> memory = nullptr)
        : weight_(weight), memory_(std::move(memory)) {}

    double weight() const { return weight_; }
    double key(double mean, NodeCount nodes) const {
        return std::log(std::max(mean, 1.0)) + weight_ * std::log(static_cast<double>(nodes));
    }
    void keys(std::span<const WaitingJob> jobs, const MachineState&,
              std::span<double> keys) const override {
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const WaitingJob& job = jobs[i];
            keys[i] = key(memory_ ? memory_->mean(job.user, job.request, job.nodes)
                                  : static_cast<double>(job.request),
                          job.nodes);
        }
    }

  private:
    double weight_;
    std::shared_ptr<const RunMemory> memory_;  // null: nothing is known
};

// Keys that are known before, by the numbers of the jobs.
class KnownOrder : public Order {
  public:
    explicit KnownOrder(std::vector<double> keys) : keys_(std::move(keys)) {}

    void keys(std::span<const WaitingJob> jobs, const MachineState&,
              std::span<double> keys) const override {
        for (std::size_t i = 0; i < jobs.size(); ++i) keys[i] = keys_[jobs[i].job];
    }

  private:
    std::vector<double> keys_;
};

// Another order, in which jobs that have waited too long come first, the oldest before all.
class GuardedOrder : public Order {
  public:
    GuardedOrder(std::shared_ptr<const Order> order, std::shared_ptr<const Time> longest)
        : order_(std::move(order)), longest_(std::move(longest)) {}

    KeysChange keys_change() const override { return order_->keys_change(); }
    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        order_->keys(jobs, machine, keys);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const bool late = machine.now - jobs[i].eligible > *longest_;
            keys[i] = late ? kFirst : std::max(keys[i], kFirst / 10);
        }
    }

  private:
    static constexpr double kFirst = -1e300;  // finite: a reach is added to it

    std::shared_ptr<const Order> order_;
    std::shared_ptr<const Time> longest_;  // that a job may wait
};

}  // namespace schedlab
