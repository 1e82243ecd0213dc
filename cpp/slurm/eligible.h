#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "slurm/twin_job.h"

namespace schedlab::slurm {

enum class Readiness { yes, not_yet, never };

// Whether pending jobs may run: dependencies, arrays, begin times, licences and limits.
class Eligible {
  public:
    Eligible(const Site& site, const std::vector<TwinJob>& jobs);

    // Whether the job may be in a queue that is built now.
    Readiness test(const TwinJob& job, Moment now) const;
    // Whether nothing that is to come lets the job run.
    bool is_stuck(const TwinJob& job) const;
    // Whether licences, its array and limits on numbers of jobs let it start.
    bool may_start(const TwinJob& job, const PlaceRow& place) const;
    // Whether limits on resources let it have these.
    bool may_have(const PlaceRow& place, const Amounts& amounts) const;

    void started(const TwinJob& job, const PlaceRow& place, const Amounts& holds);
    void ended(const TwinJob& job, const PlaceRow& place, const Amounts& holds);

  private:
    bool has_array_room(const TwinJob& job) const;
    Readiness fulfilled(const TwinJob& job, const ConditionRow& condition, Moment now) const;
    Readiness one(const TwinJob& other, const ConditionRow& condition, Moment now) const;
    Readiness singleton(const TwinJob& job, const ConditionRow& namesakes) const;
    Readiness all_of(const TwinJob& job, Moment now) const;
    void count(const TwinJob& job, const PlaceRow& place, const Amounts& holds, int sign);

    const Site& site_;
    const std::vector<TwinJob>& jobs_;
    std::vector<std::int64_t> licences_;                        // free
    std::unordered_map<std::int64_t, std::int64_t> running_tasks_;  // by array
    std::vector<std::int64_t> jobs_of_;                         // by counter
    std::vector<Amounts> held_of_;                              // by counter
};

}  // namespace schedlab::slurm
