#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/job.h"
#include "core/job_chains.h"
#include "core/types.h"

namespace schedlab {

// The waiting jobs in some order: higher tiers first, then by key, then by arrival.
//
// Blocks of jobs, each with the smallest number of nodes and the smallest estimate in it, so that a
// search for a job to backfill skips whole blocks: queues of 100,000 jobs do occur.
// Positions stay valid while a pass starts jobs: a job that leaves is only marked.
//
// Jobs whose keys change by group are sorted in place while they are few. Many are put in order
// block by block, only as far as the queue is read.
class WaitingQueue {
  public:
    using Position = std::size_t;

    WaitingQueue() = default;
    WaitingQueue(const WaitingQueue& other);
    WaitingQueue& operator=(const WaitingQueue&) = delete;

    std::size_t size() const { return live_; }
    bool empty() const { return live_ == 0; }

    // Forgets all jobs. The next ones have split keys if `grouped`.
    void clear(bool grouped = false);
    bool is_grouped() const { return grouped_; }
    // These move jobs to other positions. A job that is inserted comes behind those with the same
    // tier and key, however early it arrived.
    void insert(const WaitingJob& job, double key);
    void reorder(std::span<const double> keys);  // one per job, in the present order
    void tidy();                                 // closes the gaps if they are many
    // The same for split keys; jobs with the same tier and key stand by arrival.
    void insert(const WaitingJob& job, SplitKey key);
    void set_offsets(std::span<const double> offsets);
    void remove(Position position);

    // All jobs in the present order.
    void jobs(std::vector<JobIndex>& jobs) const;
    Position first() const {
        if (is_stale_) show_first();
        return first_;
    }
    Position end() const {
        if (is_stale_) show_first();
        return end_;
    }
    Position next(Position position) const {
        ++position;
        const std::size_t slot = position % kBlock;
        if (slot == 0 || position >= blocks_.size() * kBlock) return next_block(position);
        const std::uint64_t rest = block(position).waiting >> slot;
        return rest ? position + std::countr_zero(rest) : next_block(position + kBlock - slot);
    }
    // One past the `depth`-th job; the jobs before it can be visited backwards from there.
    Position end_of_first(std::size_t depth) const;
    // One past the last job whose key is at most `most`; all must be of one tier.
    Position end_of_keys(double most) const;
    // The job that arrived first; there must be one. With split keys it may have this position and
    // another one in the order: compare jobs, not positions.
    Position oldest() const;
    // Where the job waits; end() if it does not.
    Position find(JobIndex job) const;
    // The same, but faster, for a job of tier 0 whose key is known.
    Position find(JobIndex job, double key) const;

    JobIndex job(Position p) const { return block(p).job[p % kBlock]; }
    NodeCount nodes(Position p) const { return block(p).nodes[p % kBlock]; }
    double key(Position p) const { return block(p).rank[p % kBlock].key; }
    std::int64_t arrival(Position p) const { return block(p).arrival[p % kBlock]; }
    bool waits(Position p) const { return nodes(p) != kGone; }

    // The first job in [from, until) whose demand is not to be skipped; `until` if there is none.
    Position find_not_skipped(Position from, Position until,
                              std::span<const std::uint8_t> skipped) const;
    // The first job in [from, until) with at most `nodes` nodes, and an estimate of at most
    // `estimate` or at most `extra` nodes; `until` if there is none. An estimate beyond 2^31 s
    // counts as 2^31 s: a caller with a larger `estimate` must look again.
    Position find_backfill(Position from, Position until, NodeCount nodes, Time estimate,
                           NodeCount extra) const;

  private:
    static constexpr std::size_t kBlock = 64;  // as many as a word has bits
    static constexpr std::size_t kMany = 256;  // with more jobs, chains keep the split keys
    static constexpr std::size_t kFew = 64;    // and no longer, once this few are left
    static constexpr NodeCount kGone = std::numeric_limits<NodeCount>::max();
    static constexpr std::int32_t kLongest = std::numeric_limits<std::int32_t>::max();
    // An estimate as blocks keep it.
    static std::int32_t capped(Time estimate) {
        return static_cast<std::int32_t>(std::min<Time>(estimate, kLongest));
    }

    using Rank = QueueRank;

    // Column by column, so that a search reads only what it tests.
    struct Block {
        // kGone and kLongest where a job has left or none has been yet.
        std::array<NodeCount, kBlock> nodes;
        std::array<std::int32_t, kBlock> estimate;
        std::array<JobIndex, kBlock> job;
        std::array<Rank, kBlock> rank;
        std::array<std::int64_t, kBlock> arrival;
        std::array<std::int32_t, kBlock> demand;
        std::size_t size = 0;  // slots in use, including those that jobs have left
        std::size_t live = 0;
        std::uint64_t waiting = 0;  // by slot: whether a job waits there

        Block() { leave_from(0); }
        void clear() {
            leave_from(0);
            size = live = 0;
        }
        void leave(std::size_t slot) {
            nodes[slot] = kGone;
            estimate[slot] = kLongest;
            waiting &= ~(1ULL << slot);
        }
        void leave_from(std::size_t slot);
        void copy_slot(std::size_t to, const Block& source, std::size_t from);
        std::int64_t least_arrival() const;
        void close_gaps();
        void open_slot(std::size_t slot);
        void fill_slot(std::size_t slot, const JobChains::Ranked& from);
    };

    const Block& block(Position p) const { return *blocks_[p / kBlock]; }
    std::size_t block_for(Rank rank) const;
    void append_block() const;
    void drop_blocks() const;
    void split(std::size_t index);
    void summarise(std::size_t index) const;
    void summarise_needs(std::size_t index) const;  // nodes and estimates
    bool set_keys(std::span<const double> keys);
    void rebuild(std::span<const Position> order);
    // The first job from this position on, at which a block begins; end() if there is none.
    Position next_block(Position position) const;
    void skip_gone() const;
    void leave_slot(Position position);
    void sort_by_split_keys();
    // Switch between few and many jobs with split keys.
    void use_chains();
    void leave_chains();
    // With chains, block 0 is for the oldest job alone, and a walk through the queue never visits
    // it; the blocks after it are in order. Changes make them stale.
    void show_first() const;
    bool show_block() const;  // false if there is no more
    void show_until(Position until) const;
    bool is_before_last_shown(Rank rank, std::int64_t arrival) const;
    Position find_in(JobIndex job, std::size_t first_block, std::size_t end_block) const;

    // Mutable, since reading jobs with split keys puts them in order.
    mutable std::vector<std::unique_ptr<Block>> blocks_;
    // By block: the smallest values of its jobs, and the rank of its last slot.
    mutable std::vector<NodeCount> least_nodes_;
    mutable std::vector<std::int32_t> least_estimate_;
    mutable std::vector<std::int64_t> least_arrival_;  // or that of a job that has left
    mutable std::vector<Rank> last_rank_;
    mutable Position first_ = 0;
    mutable Position end_ = 0;
    std::size_t live_ = 0;
    bool grouped_ = false;               // whether keys are split
    std::vector<SplitKey> split_keys_;   // by job
    std::vector<double> offsets_;        // by group
    std::int64_t last_arrival_ = -1;     // of all jobs with split keys
    bool chained_ = false;               // whether chains keep the jobs
    std::unique_ptr<JobChains> chains_;  // null until they are needed
    mutable bool is_stale_ = false;      // the blocks must be made from the chains again
    mutable std::vector<std::unique_ptr<Block>> spare_;
};

}  // namespace schedlab
