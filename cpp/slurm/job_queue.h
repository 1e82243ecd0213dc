#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include "slurm/twin_job.h"

namespace schedlab::slurm {

// All pending jobs, one record for each of their partitions, in the order of the queue. Ranks change
// only when priorities do.
class JobQueue {
  public:
    explicit JobQueue(const Site& site) : site_(site) {}

    void add(TwinJob& job);
    // Call it before the job's rank changes.
    void remove(TwinJob& job);
    // Computes all ranks again and sorts by them.
    void sort_again();

    std::size_t size() const { return ranked_.size(); }
    // Calls visit(record) for each, in order.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (const Ranked& each : ranked_) visit(each.record);
    }
    bool ranks_before(const QueueRecord& one, const QueueRecord& other) const {
        return rank(one) < rank(other);
    }

  private:
    // Reservations first, then by tier, priority, submission and number.
    using Rank = std::tuple<bool, std::int32_t, std::int64_t, Second, std::int64_t, std::int32_t>;
    struct Ranked {
        Rank rank;
        QueueRecord record;

        bool operator<(const Ranked& other) const {
            if (rank != other.rank) return rank < other.rank;
            if (record.job != other.record.job) return record.job->came < other.record.job->came;
            return record.place < other.record.place;
        }
    };

    Rank rank(const QueueRecord& record) const;

    const Site& site_;
    std::vector<Ranked> ranked_;
};

}  // namespace schedlab::slurm
