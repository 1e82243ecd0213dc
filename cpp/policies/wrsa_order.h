#pragma once

#include <span>
#include <vector>

#include "core/order.h"
#include "policies/user_accuracy.h"

namespace schedlab {

// The most accurate user first: descending WRSA + wait / ageing.
// All jobs wait alike, so their order changes only when a WRSA does.
class WrsaOrder : public Order {
  public:
    WrsaOrder(double beta, double ageing) : accuracy_(beta), ageing_(ageing) {}

    std::shared_ptr<Order> clone() const override { return std::make_shared<WrsaOrder>(*this); }

    KeysChange keys_change() const override { return KeysChange::when_jobs_end; }
    void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
              std::span<double> keys) const override;

    void begin() override;
    void job_submitted(const WaitingJob& job) override;
    void job_ended(const SubmittedJob& job, Time ran) override;
    void keys_now(std::span<const JobIndex> jobs, std::span<double> keys) const override;

    double wrsa(std::int64_t user) const { return accuracy_.of(user); }

  private:
    // What stays of a job's key, and who submitted it.
    struct Known {
        double aged;
        std::int32_t user;
    };

    double aged(const WaitingJob& job) const {
        return static_cast<double>(job.eligible) / ageing_;
    }

    UserAccuracy accuracy_;
    double ageing_;
    std::vector<Known> known_;  // by job
};

}  // namespace schedlab
