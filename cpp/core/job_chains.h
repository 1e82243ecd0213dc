#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/job.h"
#include "core/types.h"

namespace schedlab {

// Where a job belongs in a queue: higher tiers first, then by key.
struct QueueRank {
    std::int32_t minus_tier = 0;
    double key = 0;

    auto operator<=>(const QueueRank&) const = default;
};

// A key that changes for a whole group of jobs at once: `own` minus the group's offset.
struct SplitKey {
    double own;
    std::int32_t group;
};

// Waiting jobs with split keys, put in order only as far as they are read.
//
// A chain holds jobs of one group whose relative order never changes: each arrived after the one
// before it, with a key at least as large. A new offset of a group costs nothing; chains are merged
// job by job, from the first on.
class JobChains {
  public:
    using Position = std::size_t;
    static constexpr Position kHidden = static_cast<Position>(-1);

    struct Link {
        double own;
        std::int64_t arrival;
        JobIndex job;
        NodeCount nodes;
        Time estimate;
        std::int32_t demand;
        std::uint32_t ticket;
    };
    // A job and where it belongs.
    struct Ranked {
        QueueRank rank;
        Link link;
    };

    // The job's group must have an offset: see set_offsets. Returns where the job belongs.
    QueueRank insert(const WaitingJob& job, SplitKey key);
    // One per group; there may be more groups than before. Returns whether an offset has changed.
    bool set_offsets(std::span<const double> offsets);
    void remove(JobIndex job);
    bool waits(JobIndex job) const;
    // Where the job is shown; kHidden if it is not yet.
    Position shown_at(JobIndex job) const { return places_[job].position; }
    // The waiting job that arrived first; there must be one.
    Ranked oldest();

    // Starts again from the first job: no job is shown.
    void restart();
    // Shows the next job at that position; false if there is none.
    bool show_next(Position position, Ranked& shown);

  private:
    static constexpr std::uint32_t kNoTicket = 0;

    struct Chain {
        std::int32_t minus_tier;
        std::int32_t group;
        std::vector<Link> links;  // in use from `first` on
        std::size_t first = 0;
        std::size_t next = 0;  // the first that is not shown
    };
    // Of a job; the ticket distinguishes its present wait from earlier ones.
    struct Place {
        std::uint32_t ticket = kNoTicket;
        Position position = kHidden;
    };
    // The next job of a chain, which may leave before it is shown.
    struct Head {
        QueueRank rank;
        std::int64_t arrival;
        std::size_t chain;
        std::uint32_t ticket;
    };
    bool is_live(const Link& link) const { return places_[link.job].ticket == link.ticket; }
    QueueRank rank(const Chain& chain, const Link& link) const {
        return {chain.minus_tier, link.own - offsets_[chain.group]};
    }
    std::size_t chain_for(std::int32_t minus_tier, SplitKey key, std::int64_t arrival);
    void hide(Chain& chain);
    void skip_gone(Chain& chain);
    // Finds the chain's first job that is not shown; false if there is none.
    bool next_of(std::size_t chain, Head& head);
    void replace_first();

    std::vector<double> offsets_;  // by group
    std::vector<Chain> chains_;
    std::vector<std::vector<std::size_t>> of_group_;  // by group: its chains
    std::vector<Place> places_;                       // by job
    std::vector<Head> heads_;                         // a heap
    std::uint32_t tickets_ = kNoTicket;
};

}  // namespace schedlab
