#pragma once

#include <span>

#include "core/job.h"
#include "core/user_accuracy.h"

namespace schedlab {

// The order in which waiting jobs are looked at: smaller keys first, ties by arrival.
class Order {
  public:
    virtual ~Order() = default;

    // Whether keys must be computed anew at every pass; else once, when the job arrives.
    virtual bool changes_with_time() const { return false; }
    // The weight of the past in the users' accuracy (UserAccuracy).
    virtual double accuracy_beta() const { return UserAccuracy::kBeta; }
    virtual void keys(std::span<const WaitingJob> jobs, Time now, std::span<double> keys) const = 0;
};

}  // namespace schedlab
