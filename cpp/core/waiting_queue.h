#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/job.h"
#include "core/types.h"

namespace schedlab {

// The waiting jobs in the policy's order: by key, then by arrival.
// Positions stay valid while a pass starts jobs: a job that leaves is only marked.
class WaitingQueue {
  public:
    using Position = std::size_t;

    std::size_t size() const { return live_; }
    bool empty() const { return live_ == 0; }

    void insert(const WaitingJob& job, double key);
    void remove(Position position);
    // Closes the gaps and puts the jobs in the order of new keys.
    void reorder(std::span<const double> keys);
    // Closes the gaps when they are many; positions change.
    void tidy();
    void compact();

    Position first() const { return first_; }
    Position end() const { return job_.size(); }
    Position next(Position position) const;
    // One past the `depth`-th job.
    Position end_of_first(std::size_t depth) const;
    // Where the job waits; end() if it does not.
    Position find(JobIndex job) const;

    bool waits(Position position) const { return nodes_[position] != kGone; }
    JobIndex job(Position position) const { return job_[position]; }
    NodeCount nodes(Position position) const { return nodes_[position]; }
    double key(Position position) const { return key_[position]; }
    std::int64_t arrival(Position position) const { return arrival_[position]; }

    // The first job in [from, until) with at most `nodes` nodes, and a request of at most
    // `request` or at most `extra` nodes; `until` if there is none.
    Position find_backfill(Position from, Position until, NodeCount nodes, Time request,
                           NodeCount extra) const;

  private:
    static constexpr NodeCount kGone = std::numeric_limits<NodeCount>::max();

    void skip_gone();

    // Entries from first_ on, column by column, so that a search reads only what it tests.
    std::vector<JobIndex> job_;
    std::vector<NodeCount> nodes_;       // kGone where the job has left
    std::vector<std::int32_t> request_;  // capped: a longer request than 2^31 s is never short
    std::vector<double> key_;
    std::vector<std::int64_t> arrival_;
    Position first_ = 0;
    std::size_t live_ = 0;
};

}  // namespace schedlab
