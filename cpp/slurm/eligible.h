#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "slurm/twin_job.h"

namespace schedlab::slurm {

enum class Readiness { yes, not_yet, never };

// Whether pending jobs may run: dependencies, arrays, begin times and licences.
class Eligible {
  public:
    Eligible(const Site& site, const std::vector<TwinJob>& jobs);

    // Why the job may not be in a queue that is built now; kNoReason if it may.
    WaitReason obstacle(const TwinJob& job, Moment now) const;
    // Whether the job's conditions can never be fulfilled.
    bool is_stuck(const TwinJob& job) const;
    // Whether all its licences are free.
    bool has_licences(const TwinJob& job) const;
    // Whether its array may have another running task.
    bool has_array_room(const TwinJob& job) const;

    void started(const TwinJob& job) { count(job, 1); }
    void ended(const TwinJob& job) { count(job, -1); }

  private:
    Readiness fulfilled(const TwinJob& job, const ConditionRow& condition, Moment now) const;
    Readiness one(const TwinJob& other, const ConditionRow& condition, Moment now) const;
    Readiness singleton(const TwinJob& job, const ConditionRow& namesakes) const;
    Readiness all_of(const TwinJob& job, Moment now) const;
    void count(const TwinJob& job, int sign);

    const Site& site_;
    const std::vector<TwinJob>& jobs_;
    std::vector<std::int64_t> licences_;                        // free
    std::unordered_map<std::int64_t, std::int64_t> running_tasks_;  // by array
};

}  // namespace schedlab::slurm
