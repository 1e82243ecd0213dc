#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "slurm/limits.h"

namespace schedlab::slurm {

enum class Readiness { yes, not_yet, never };

// Whether pending jobs may run: dependencies, arrays, begin times, licences and limits.
class Eligible {
  public:
    Eligible(const Site& site, const std::vector<TwinJob>& jobs, const Limits& limits);

    // Whether the job may be in a queue that is built now.
    Readiness test(const TwinJob& job, Moment now) const;
    // Whether nothing that is to come lets the job run.
    bool is_stuck(const TwinJob& job) const;
    // Whether licences, its array and limits on numbers of jobs and on wall time let it start.
    bool may_start(const TwinJob& job, const PlaceRow& place) const;

    void started(const TwinJob& job) { count(job, 1); }
    void ended(const TwinJob& job) { count(job, -1); }

  private:
    bool has_array_room(const TwinJob& job) const;
    Readiness fulfilled(const TwinJob& job, const ConditionRow& condition, Moment now) const;
    Readiness one(const TwinJob& other, const ConditionRow& condition, Moment now) const;
    Readiness singleton(const TwinJob& job, const ConditionRow& namesakes) const;
    Readiness all_of(const TwinJob& job, Moment now) const;
    void count(const TwinJob& job, int sign);

    const Site& site_;
    const std::vector<TwinJob>& jobs_;
    const Limits& limits_;
    std::vector<std::int64_t> licences_;                        // free
    std::unordered_map<std::int64_t, std::int64_t> running_tasks_;  // by array
};

}  // namespace schedlab::slurm
