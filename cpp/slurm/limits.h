#pragma once

#include <span>
#include <vector>

#include "slurm/twin_job.h"

namespace schedlab::slurm {

// The limits of associations and QOS, and what running jobs count for each over time. Times are
// whole seconds. src/schedlab/slurm/plain/limits.py has the same for reading.
class Limits {
  public:
    // `start`: when slurmctld began to count.
    Limits(const Site& site, Second start);

    // Why limits on numbers of jobs or on wall time keep the job from starting; kNoReason if none
    // does.
    WaitReason keeps_from_starting(const JobRow& job, const PlaceRow& place) const;
    // Why limits on resources keep the job from having these amounts; kNoReason if none does.
    WaitReason keeps_from_having(const JobRow& job, const PlaceRow& place,
                                 const Amounts& asks) const;
    // Whether others have used what the job needs, so that it can start when that is forgotten.
    bool waits_for_minutes(const JobRow& job) const;
    // Whether a running job is ended because it or others have used up a limit.
    bool has_run_out(const TwinJob& job, Second now) const;

    void started(const TwinJob& job);
    void ended(const TwinJob& job, Second now);
    // Forgets what was used, and counts what running jobs have used since the last pass.
    void look(std::span<TwinJob* const> running, Second now);

  private:
    // What some jobs count together.
    struct Count {
        std::int64_t jobs = 0;
        Amounts held{};
        Amounts used{}, run{};  // in seconds: what was used, and what running jobs may still use
        double wall = 0;
    };

    bool passes(const LimitRow& limit, const JobRow& job, const Amounts& asks) const;
    const PlaceRow& place_of(const TwinJob& job) const { return job.row->places[job.place]; }
    std::span<const std::int32_t> counters_of(const TwinJob& job) const {
        return site_.counted[place_of(job).limits];
    }
    Second start_of(const TwinJob& job) const;
    Second since(const TwinJob& job) const;
    // How long the job may run from the last pass on.
    Second left(const TwinJob& job) const;
    void use(const TwinJob& job, Second now);
    // Take this many seconds off what running jobs may still use.
    void pass(const TwinJob& job, Second seconds);

    const Site& site_;
    Second last_pass_;
    double decay_;
    std::vector<Count> counts_;  // by counter
    std::vector<bool> may_end_;  // by list of limits: whether one of them ends running jobs
};

}  // namespace schedlab::slurm
