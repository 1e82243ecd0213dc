#include "policies/network_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "core/rounding.h"
#include "predictors/run_memory.h"

namespace schedlab {
namespace {

constexpr double kHour = 3600, kMinute = 60, kShortest = 10;
constexpr Time kKnownFor = 7200;

// Computed when a job comes, and again every two hours: meanwhile other jobs of its user may have ended.
constexpr const char* kFixed[] = {"log_request", "log_run", "log_share"};
// Computed at every pass.
constexpr const char* kWaits[] = {"log_wait", "log_slowdown"};
constexpr const char* kQueue[] = {"free", "log_demand", "log_work"};
constexpr std::size_t kFixedCount = std::size(kFixed), kWaitCount = std::size(kWaits);
constexpr std::size_t kJobCount = kFixedCount + kWaitCount, kQueueCount = std::size(kQueue);

class NetworkOrder : public Order {
  public:
    explicit NetworkOrder(const NetworkWeights& weights)
        : linear_(weights.linear), out_(weights.out), bias_(weights.bias) {
        // By input, then by unit: a pass goes through the units of one job.
        for (std::size_t input = 0; input < kJobCount + kQueueCount; ++input) {
            for (const auto& unit : weights.hidden) by_input_.push_back(unit[input]);
        }
    }

    std::shared_ptr<Order> clone() const override { return std::make_shared<NetworkOrder>(*this); }

    KeysChange keys_change() const override { return KeysChange::always; }
    bool learns() const override { return true; }
    void begin() override {
        memory_.clear();
        known_.clear();
        sums_.clear();
    }
    void job_ended(const SubmittedJob& job, Time ran) override { memory_.note(job, ran); }

    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        const std::size_t units = out_.size();
        const std::vector<double> queue = sums_of_queue(jobs, machine);
        const double* on_wait = by_input_.data() + kFixedCount * units;
        const double* on_slowdown = on_wait + units;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const std::size_t place = known(jobs[i], machine);
            const auto wait = static_cast<double>(machine.now - jobs[i].eligible);
            const double log_wait = std::log10(1 + wait / kMinute);
            const double log_slowdown = std::log10(1 + wait / known_[place].run);
            const double* fixed = sums_.data() + place * units;
            double key = known_[place].linear + linear_[kFixedCount] * log_wait +
                         linear_[kFixedCount + 1] * log_slowdown;
            for (std::size_t unit = 0; unit < units; ++unit) {
                const double x = fixed[unit] + queue[unit] + on_wait[unit] * log_wait +
                                 on_slowdown[unit] * log_slowdown;
                key += out_[unit] * (x / (1 + std::abs(x)));
            }
            keys[i] = rounded_key(key);
        }
    }

  private:
    struct Known {
        Time since = kNone;  // when it was computed
        double run = 0;      // in seconds, at least the shortest that counts
        double linear = 0;
    };

    // What each unit gets from the queue as a whole.
    std::vector<double> sums_of_queue(std::span<const WaitingJob> jobs,
                                      const MachineState& machine) const {
        double nodes = 0, work = 0;
        for (const WaitingJob& job : jobs) {
            nodes += static_cast<double>(job.nodes);
            work += static_cast<double>(job.nodes) * static_cast<double>(job.request);
        }
        const auto all = static_cast<double>(machine.nodes);
        const std::array<double, kQueueCount> inputs = {
            static_cast<double>(machine.free) / all, std::log10(1 + nodes / all),
            std::log10(1 + work / all / kHour)};
        std::vector<double> sums(out_.size(), 0.0);
        add_inputs(inputs, kJobCount, sums.data());
        return sums;
    }

    // The place of what is not computed at every pass; computes it where it is missing or old.
    std::size_t known(const WaitingJob& job, const MachineState& machine) const {
        const auto place = static_cast<std::size_t>(job.job);
        if (place >= known_.size()) {
            known_.resize(place + 1);
            sums_.resize(known_.size() * out_.size());
        }
        Known& known = known_[place];
        if (known.since != kNone && machine.now < known.since + kKnownFor) return place;
        known = {machine.now};
        thread_local RunDistribution told;
        memory_.tell(job.user, job.request, job.nodes, told);
        known.run = std::max(told.mean(job.request), kShortest);
        const std::array<double, kFixedCount> inputs = {
            std::log10(static_cast<double>(job.request) / kHour), std::log10(known.run / kHour),
            std::log10(static_cast<double>(job.nodes) / machine.nodes)};
        for (std::size_t i = 0; i < kFixedCount; ++i) known.linear += linear_[i] * inputs[i];
        double* sums = sums_.data() + place * out_.size();
        std::copy(bias_.begin(), bias_.end(), sums);
        add_inputs(inputs, 0, sums);
        return place;
    }

    template <std::size_t Count>
    void add_inputs(const std::array<double, Count>& inputs, std::size_t first,
                    double* sums) const {
        const std::size_t units = out_.size();
        for (std::size_t i = 0; i < Count; ++i) {
            for (std::size_t unit = 0; unit < units; ++unit) {
                sums[unit] += by_input_[(first + i) * units + unit] * inputs[i];
            }
        }
    }

    std::vector<double> linear_, out_, bias_, by_input_;
    RunMemory memory_;
    mutable std::vector<Known> known_;  // by job
    mutable std::vector<double> sums_;  // by job, then by unit
};

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

std::vector<std::string> network_job_inputs() {
    std::vector<std::string> names(std::begin(kFixed), std::end(kFixed));
    names.insert(names.end(), std::begin(kWaits), std::end(kWaits));
    return names;
}

std::vector<std::string> network_queue_inputs() {
    return {std::begin(kQueue), std::end(kQueue)};
}

std::shared_ptr<Order> make_network_order(const NetworkWeights& weights) {
    const std::size_t units = weights.hidden.size();
    require(weights.linear.size() == kJobCount, "one linear weight for each input of a job");
    require(weights.bias.size() == units && weights.out.size() == units,
            "one bias and one weight of the output for each hidden unit");
    for (const auto& unit : weights.hidden) {
        require(unit.size() == kJobCount + kQueueCount, "one weight for each input of a unit");
    }
    return std::make_shared<NetworkOrder>(weights);
}

}  // namespace schedlab
