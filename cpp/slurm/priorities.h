#pragma once

#include <span>

#include "slurm/fair_share.h"
#include "slurm/twin_job.h"

namespace schedlab::slurm {

// The whole second of a time, on Slurm's clock.
Second second_of(const Site& site, Moment time);

// The priorities of waiting jobs: computed at submission, and then only every PriorityCalcPeriod.
class Priorities {
  public:
    Priorities(const Site& site, Moment start);

    // Sets the priority of a job that has just come, or is looked at again.
    void set(TwinJob& job, Moment now);
    // Charges running jobs up to now, and computes all factors and priorities.
    void set_all(std::span<TwinJob* const> running, std::span<TwinJob* const> pending, Moment now);
    // Charges a running job, or one that ends now, for what has not been charged yet.
    void charge(const TwinJob& job, Moment now);

  private:
    double size_factor(const TwinJob& job) const;

    const Site& site_;
    FairShare shares_;
};

}  // namespace schedlab::slurm
