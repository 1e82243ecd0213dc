#pragma once

#include <span>

#include "core/order.h"
#include "policies/user_accuracy.h"

namespace schedlab {

// The most accurate user first: descending WRSA + wait / ageing.
// All jobs age at the same rate, so their order changes only when a WRSA does, and then for all
// jobs of that user.
class WrsaOrder : public Order {
  public:
    WrsaOrder(double beta, double ageing) : accuracy_(beta), ageing_(ageing) {}

    std::shared_ptr<Order> clone() const override { return std::make_shared<WrsaOrder>(*this); }

    KeysChange keys_change() const override { return KeysChange::by_group; }
    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override;

    bool learns() const override { return true; }
    void begin() override { accuracy_.clear(); }
    void job_ended(const SubmittedJob& job, Time ran) override;
    SplitKey split_key(const WaitingJob& job) override {
        return {aged(job), accuracy_.number(job.user)};
    }
    std::span<const double> group_offsets() const override { return accuracy_.by_number(); }

    double wrsa(std::int64_t user) const { return accuracy_.of(user); }

  private:
    double aged(const WaitingJob& job) const {
        return static_cast<double>(job.eligible) / ageing_;
    }

    UserAccuracy accuracy_;
    double ageing_;
};

}  // namespace schedlab
