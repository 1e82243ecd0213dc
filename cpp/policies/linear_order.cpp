#include "policies/linear_order.h"

#include <cmath>
#include <stdexcept>

namespace schedlab {
namespace {

using Feature = double (*)(const WaitingJob&, const MachineState&);

double estimate(const WaitingJob& job) { return static_cast<double>(job.estimate); }
double nodes(const WaitingJob& job) { return static_cast<double>(job.nodes); }
double wait(const WaitingJob& job, const MachineState& machine) {
    return static_cast<double>(machine.now - job.eligible);
}

double log_request(const WaitingJob& job, const MachineState&) {
    return std::log10(static_cast<double>(job.request));
}
double log_estimate(const WaitingJob& job, const MachineState&) {
    return std::log10(estimate(job));
}
double log_nodes(const WaitingJob& job, const MachineState&) { return std::log10(nodes(job)); }
double share(const WaitingJob& job, const MachineState& machine) {
    return nodes(job) / machine.nodes;
}
double log_wait(const WaitingJob& job, const MachineState& machine) {
    return std::log10(1 + wait(job, machine));
}
double log_slowdown(const WaitingJob& job, const MachineState& machine) {
    return std::log10(1 + wait(job, machine) / estimate(job));
}
double log_start_in(const WaitingJob& job, const MachineState& machine) {
    return std::log10(1 + static_cast<double>(machine.time_until_room(job)));
}

struct Entry {
    const char* name;
    Feature feature;
    KeysChange change = KeysChange::never;
};

constexpr Entry kFeatures[] = {
    {"log_request", log_request},
    {"log_estimate", log_estimate},
    {"log_nodes", log_nodes},
    {"share", share},
    {"log_wait", log_wait, KeysChange::always},
    {"log_slowdown", log_slowdown, KeysChange::always},
    {"log_start_in", log_start_in, KeysChange::always},
};

class LinearOrder : public Order {
  public:
    explicit LinearOrder(const std::vector<double>& weights) {
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (weights[i] == 0) continue;
            terms_.push_back({weights[i], kFeatures[i].feature});
            if (kFeatures[i].change == KeysChange::always) change_ = KeysChange::always;
        }
    }

    KeysChange keys_change() const override { return change_; }

    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            double sum = 0;
            for (const Term& term : terms_) sum += term.weight * term.feature(jobs[i], machine);
            keys[i] = sum;
        }
    }

  private:
    struct Term {
        double weight;
        Feature feature;
    };
    std::vector<Term> terms_;  // those with a weight, in the order of the features
    KeysChange change_ = KeysChange::never;
};

}  // namespace

std::vector<std::string> feature_names() {
    std::vector<std::string> names;
    for (const Entry& entry : kFeatures) names.emplace_back(entry.name);
    return names;
}

std::shared_ptr<Order> make_linear_order(const std::vector<double>& weights) {
    if (weights.size() != std::size(kFeatures)) {
        throw std::invalid_argument(std::to_string(weights.size()) + " weights; there are " +
                                    std::to_string(std::size(kFeatures)) + " features");
    }
    return std::make_shared<LinearOrder>(weights);
}

}  // namespace schedlab
