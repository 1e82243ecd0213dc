#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "core/order.h"
#include "core/rounding.h"
#include "predictors/run_memory.h"

namespace schedlab {

// What past jobs say about the run time of a job.
struct ToldRun {
    double mean;      // of its run time, in seconds
    double slowness;  // the mean of 1 / run time; run times below 10 s count as 10 s
};

// The smallest log(run time) + nodes x log(nodes) + request x log(request) - ageing x log(1 + wait /
// run time) first. The run time is the mean that past jobs suggest.
//
// Jobs age only when the queue is put in order, not before each pass.
class PredictedOrder : public Order {
  public:
    struct Weights {
        double nodes;
        double ageing;
        double request = 0;
    };
    explicit PredictedOrder(Weights weights, std::shared_ptr<const RunMemory> memory = nullptr)
        : weights_(weights), memory_(std::move(memory)) {}

    const Weights& weights() const { return weights_; }
    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            keys[i] = key(weights_, told(jobs[i]), jobs[i], machine.now);
        }
    }
    static double key(const Weights& weights, const ToldRun& told, const WaitingJob& job,
                      Time now) {
        const double run = std::max(told.mean, 1.0);
        const auto wait = static_cast<double>(now - job.eligible);
        const double asked = std::max(static_cast<double>(job.request), 1.0);
        return rounded_key(std::log(run) + weights.nodes * std::log(static_cast<double>(job.nodes)) +
                           weights.request * std::log(asked) -
                           weights.ageing * std::log(1 + wait / run));
    }

  private:
    ToldRun told(const WaitingJob& job) const;

    Weights weights_;
    std::shared_ptr<const RunMemory> memory_;  // null: nothing is known
};

// What past jobs say about each kind of job.
class ToldKinds {
  public:
    struct Kind {
        RunDistribution told;
        ToldRun run{};
    };

    explicit ToldKinds(const RunMemory& memory) : memory_(memory) {}
    const Kind& ask(const SubmittedJob& job) {
        const auto [at, is_new] = kinds_.try_emplace({job.user, job.request, job.nodes});
        if (is_new) {
            RunDistribution& told = at->second.told;
            memory_.tell(job.user, job.request, job.nodes, told);
            at->second.run = {told.mean(job.request), told.slowness(job.request)};
        }
        return at->second;
    }
    // The run time of a kind that `ask` was called for.
    const ToldRun& run(std::int64_t user, Time request, NodeCount nodes) const {
        return kinds_.at({user, request, nodes}).run;
    }

  private:
    const RunMemory& memory_;
    std::map<std::tuple<std::int64_t, Time, NodeCount>, Kind> kinds_;
};

// The same order for jobs whose run times have been looked up: by number, and by kind for jobs with
// higher numbers.
class KnownOrder : public Order {
  public:
    KnownOrder(PredictedOrder::Weights weights, std::shared_ptr<const std::vector<ToldRun>> told,
               std::shared_ptr<const ToldKinds> kinds)
        : weights_(weights), told_(std::move(told)), kinds_(std::move(kinds)) {}

    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const WaitingJob& job = jobs[i];
            const auto number = static_cast<std::size_t>(job.job);
            const ToldRun& told = number < told_->size()
                                      ? (*told_)[number]
                                      : kinds_->run(job.user, job.request, job.nodes);
            keys[i] = PredictedOrder::key(weights_, told, job, machine.now);
        }
    }

  private:
    PredictedOrder::Weights weights_;
    std::shared_ptr<const std::vector<ToldRun>> told_;
    std::shared_ptr<const ToldKinds> kinds_;
};

// Jobs that come before all others, by arrival.
struct JobsAhead {
    std::int64_t late = kNone;          // one that has waited too long: the very first
    std::vector<std::int64_t> moved{};  // the next ones, in this order
};

// Puts some jobs ahead of all others; another order ranks the others.
class GuardedOrder : public Order {
  public:
    // `frozen`: keys stay as they are when the queue is put in order, even if waits count.
    GuardedOrder(std::shared_ptr<const Order> order, std::shared_ptr<const JobsAhead> ahead,
                 bool frozen = false)
        : order_(std::move(order)), ahead_(std::move(ahead)), frozen_(frozen) {}

    KeysChange keys_change() const override {
        return frozen_ ? KeysChange::never : order_->keys_change();
    }
    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        order_->keys(jobs, machine, keys);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const double place = place_of(jobs[i].arrival);
            keys[i] = place < 1 ? kFirst * (1 - 0.9 * place) : std::max(keys[i], kFirst / 10);
        }
    }

  private:
    static constexpr double kFirst = -1e300;  // finite: the gap is added to it

    // From 0 to below 1 for jobs that come first.
    double place_of(std::int64_t arrival) const {
        if (arrival == ahead_->late) return 0;
        const auto& moved = ahead_->moved;
        const auto at = std::find(moved.begin(), moved.end(), arrival) - moved.begin();
        return static_cast<double>(at + 1) / static_cast<double>(moved.size() + 1);
    }

    std::shared_ptr<const Order> order_;
    std::shared_ptr<const JobsAhead> ahead_;
    bool frozen_;
};

inline ToldRun PredictedOrder::told(const WaitingJob& job) const {
    const auto request = static_cast<double>(job.request);
    if (!memory_) return {request, 1 / std::max(request, 10.0)};
    thread_local RunDistribution told;
    memory_->tell(job.user, job.request, job.nodes, told);
    return {told.mean(job.request), told.slowness(job.request)};
}

}  // namespace schedlab
