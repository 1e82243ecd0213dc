#include "policies/orders.h"

#include <cmath>
#include <limits>

namespace schedlab {
namespace {

using Key = double (*)(const WaitingJob&, Time now);

class FormulaOrder : public Order {
  public:
    FormulaOrder(Key key, KeysChange change) : key_(key), change_(change) {}

    KeysChange keys_change() const override { return change_; }

    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override {
        for (std::size_t i = 0; i < jobs.size(); ++i) keys[i] = key_(jobs[i], machine.now);
    }

  private:
    Key key_;
    KeysChange change_;
};

double estimate(const WaitingJob& job) { return static_cast<double>(job.estimate); }
double nodes(const WaitingJob& job) { return static_cast<double>(job.nodes); }
double area(const WaitingJob& job) { return estimate(job) * nodes(job); }
double wait(const WaitingJob& job, Time now) { return static_cast<double>(now - job.eligible); }
// Time 0 has no logarithm; it counts as 1.
double log_submit(const WaitingJob& job) {
    return std::log10(std::max(static_cast<double>(job.submit), 1.0));
}

double fcfs(const WaitingJob&, Time) { return 0; }
double lcfs(const WaitingJob& job, Time) { return -static_cast<double>(job.arrival); }
double sjf(const WaitingJob& job, Time) { return estimate(job); }
double ljf(const WaitingJob& job, Time) { return -estimate(job); }
double saf(const WaitingJob& job, Time) { return area(job); }
double laf(const WaitingJob& job, Time) { return -area(job); }
double snf(const WaitingJob& job, Time) { return nodes(job); }
double lnf(const WaitingJob& job, Time) { return -nodes(job); }

double wfp3(const WaitingJob& job, Time now) {
    const double x = wait(job, now) / estimate(job);
    return -(x * x * x * nodes(job));
}

double unicef(const WaitingJob& job, Time now) {
    if (job.nodes == 1) return -std::numeric_limits<double>::infinity();
    return -wait(job, now) / (std::log2(nodes(job)) * estimate(job));
}

double f1(const WaitingJob& job, Time) {
    return std::log10(estimate(job)) * nodes(job) + 870 * log_submit(job);
}
double f2(const WaitingJob& job, Time) {
    return std::sqrt(estimate(job)) * nodes(job) + 25600 * log_submit(job);
}
double f3(const WaitingJob& job, Time) { return area(job) + 6860000 * log_submit(job); }
double f4(const WaitingJob& job, Time) {
    return estimate(job) * std::sqrt(nodes(job)) + 530000 * log_submit(job);
}

struct Entry {
    const char* name;
    Key key;
    KeysChange change = KeysChange::never;
};

constexpr Entry kOrders[] = {
    {"fcfs", fcfs}, {"lcfs", lcfs}, {"sjf", sjf}, {"ljf", ljf},
    {"saf", saf},   {"laf", laf},   {"snf", snf}, {"lnf", lnf},
    {"wfp3", wfp3, KeysChange::always},
    {"unicef", unicef, KeysChange::always},
    {"f1", f1},     {"f2", f2},     {"f3", f3},   {"f4", f4},
};

}  // namespace

std::shared_ptr<Order> make_order(const std::string& name) {
    for (const Entry& entry : kOrders) {
        if (name == entry.name) return std::make_shared<FormulaOrder>(entry.key, entry.change);
    }
    return nullptr;
}

std::vector<std::string> order_names() {
    std::vector<std::string> names;
    for (const Entry& entry : kOrders) names.emplace_back(entry.name);
    return names;
}

}  // namespace schedlab
