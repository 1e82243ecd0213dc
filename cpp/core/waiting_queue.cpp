// This file is long because it is one data structure: its blocks, their order and their summaries
// change together.

#include "core/waiting_queue.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace schedlab {
namespace {

constexpr std::int64_t kNoArrival = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kSpare = 8;  // blocks that are kept for reuse

}  // namespace

void WaitingQueue::Block::leave_from(std::size_t slot) {
    std::fill(nodes.begin() + slot, nodes.end(), kGone);
    std::fill(estimate.begin() + slot, estimate.end(), kLongest);
    if (slot < kBlock) waiting &= (1ULL << slot) - 1;
}

void WaitingQueue::Block::copy_slot(std::size_t to, const Block& source, std::size_t from) {
    const std::uint64_t waits = source.waiting >> from & 1;
    waiting = (waiting & ~(1ULL << to)) | waits << to;
    nodes[to] = source.nodes[from];
    estimate[to] = source.estimate[from];
    demand[to] = source.demand[from];
    job[to] = source.job[from];
    rank[to] = source.rank[from];
    arrival[to] = source.arrival[from];
}

void WaitingQueue::Block::close_gaps() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (nodes[i] != kGone) copy_slot(kept++, *this, i);
    }
    leave_from(kept);
    size = kept;
}

void WaitingQueue::Block::open_slot(std::size_t slot) {
    for (std::size_t i = size; i > slot; --i) copy_slot(i, *this, i - 1);
    ++size;
    ++live;
}

void WaitingQueue::Block::fill_slot(std::size_t slot, const JobChains::Ranked& from) {
    nodes[slot] = from.link.nodes;
    waiting |= 1ULL << slot;
    estimate[slot] = capped(from.link.estimate);
    demand[slot] = from.link.demand;
    job[slot] = from.link.job;
    rank[slot] = from.rank;
    arrival[slot] = from.link.arrival;
}

WaitingQueue::WaitingQueue(const WaitingQueue& other)
    : least_nodes_(other.least_nodes_),
      least_estimate_(other.least_estimate_),
      least_arrival_(other.least_arrival_),
      last_rank_(other.last_rank_),
      first_(other.first_),
      end_(other.end_),
      live_(other.live_),
      grouped_(other.grouped_),
      split_keys_(other.split_keys_),
      offsets_(other.offsets_),
      last_arrival_(other.last_arrival_),
      chained_(other.chained_),
      chains_(other.chained_ ? std::make_unique<JobChains>(*other.chains_) : nullptr),
      is_stale_(other.is_stale_) {
    blocks_.reserve(other.blocks_.size());
    for (const auto& block : other.blocks_) blocks_.push_back(std::make_unique<Block>(*block));
}

void WaitingQueue::clear(bool grouped) {
    drop_blocks();
    spare_.clear();
    live_ = 0;
    grouped_ = grouped;
    split_keys_.clear();
    offsets_.clear();
    last_arrival_ = -1;
    chained_ = is_stale_ = false;
    chains_.reset();
}

void WaitingQueue::drop_blocks() const {
    blocks_.clear();
    least_nodes_.clear();
    least_estimate_.clear();
    least_arrival_.clear();
    last_rank_.clear();
    first_ = end_ = 0;
}

void WaitingQueue::append_block() const {
    if (spare_.empty()) {
        blocks_.push_back(std::make_unique<Block>());
    } else {
        blocks_.push_back(std::move(spare_.back()));
        spare_.pop_back();
        blocks_.back()->clear();
    }
    if (!chained_) end_ += kBlock;
    least_nodes_.push_back(kGone);
    least_estimate_.push_back(kLongest);
    least_arrival_.push_back(kNoArrival);
    last_rank_.push_back({});
}

void WaitingQueue::summarise(std::size_t index) const {
    const Block& block = *blocks_[index];
    summarise_needs(index);
    least_arrival_[index] = block.least_arrival();
    if (block.size) last_rank_[index] = block.rank[block.size - 1];
}

void WaitingQueue::summarise_needs(std::size_t index) const {
    const Block& block = *blocks_[index];
    NodeCount nodes = kGone;
    std::int32_t estimate = kLongest;
    for (std::size_t i = 0; i < kBlock; ++i) {  // vector instructions
        nodes = std::min(nodes, block.nodes[i]);
        estimate = std::min(estimate, block.estimate[i]);
    }
    least_nodes_[index] = nodes;
    least_estimate_[index] = estimate;
}

std::int64_t WaitingQueue::Block::least_arrival() const {
    std::int64_t least = kNoArrival;
    for (std::uint64_t rest = waiting; rest; rest &= rest - 1) {
        least = std::min(least, arrival[std::countr_zero(rest)]);
    }
    return least;
}

void WaitingQueue::split(std::size_t index) {
    auto upper = std::make_unique<Block>();
    Block& lower = *blocks_[index];
    const std::size_t half = lower.size / 2;
    for (std::size_t i = half; i < lower.size; ++i) upper->copy_slot(i - half, lower, i);
    upper->size = upper->live = lower.size - half;
    lower.leave_from(half);
    lower.size = lower.live = half;
    blocks_.insert(blocks_.begin() + index + 1, std::move(upper));
    least_nodes_.insert(least_nodes_.begin() + index + 1, kGone);
    least_estimate_.insert(least_estimate_.begin() + index + 1, kLongest);
    least_arrival_.insert(least_arrival_.begin() + index + 1, kNoArrival);
    last_rank_.insert(last_rank_.begin() + index + 1, Rank{});
    end_ += kBlock;
    summarise(index);
    summarise(index + 1);
}

// The block in which a newcomer with that rank belongs: behind all equal ones.
std::size_t WaitingQueue::block_for(Rank rank) const {
    const auto place = std::upper_bound(last_rank_.begin(), last_rank_.end(), rank);
    return std::min<std::size_t>(place - last_rank_.begin(), blocks_.size() - 1);
}

void WaitingQueue::insert(const WaitingJob& job, double key) {
    if (blocks_.empty()) append_block();
    const Rank rank{-job.tier, key};
    std::size_t index = block_for(rank);
    if (blocks_[index]->size == kBlock) {
        const bool at_the_end = index + 1 == blocks_.size() && last_rank_[index] <= rank;
        blocks_[index]->close_gaps();
        first_ = std::min(first_, index * kBlock);
        if (blocks_[index]->size == kBlock && at_the_end) {
            append_block();
        } else if (blocks_[index]->size == kBlock) {
            split(index);
        }
        index = at_the_end ? blocks_.size() - 1 : block_for(rank);
    }
    Block& block = *blocks_[index];
    const auto ranks = block.rank.begin();
    const std::size_t slot = std::upper_bound(ranks, ranks + block.size, rank) - ranks;
    block.open_slot(slot);
    block.nodes[slot] = job.nodes;
    block.waiting |= 1ULL << slot;
    block.estimate[slot] = capped(job.estimate);
    block.demand[slot] = job.demand;
    block.job[slot] = job.job;
    block.rank[slot] = rank;
    block.arrival[slot] = job.arrival;
    last_rank_[index] = block.rank[block.size - 1];
    least_nodes_[index] = std::min(least_nodes_[index], job.nodes);
    least_estimate_[index] = std::min(least_estimate_[index], block.estimate[slot]);
    least_arrival_[index] = std::min(least_arrival_[index], job.arrival);
    ++live_;
    first_ = std::min(first_, index * kBlock);
    skip_gone();
}

void WaitingQueue::insert(const WaitingJob& job, SplitKey key) {
    const auto place = static_cast<std::size_t>(job.job);
    if (place >= split_keys_.size()) split_keys_.resize(place + 1);
    split_keys_[place] = key;
    if (!chained_ && live_ >= kMany) use_chains();
    const bool comes_back = job.arrival < last_arrival_;
    last_arrival_ = std::max(last_arrival_, job.arrival);
    if (!chained_) {
        insert(job, key.own - offsets_[key.group]);
        if (comes_back) sort_by_split_keys();
        return;
    }
    const Rank rank = chains_->insert(job, key);
    ++live_;
    if (is_stale_) return;
    // The job need not be shown yet if it comes after all shown jobs.
    is_stale_ = first_ >= end_ || is_before_last_shown(rank, job.arrival);
    end_ += kBlock;
}

bool WaitingQueue::is_before_last_shown(Rank rank, std::int64_t arrival) const {
    const Block& last = *blocks_.back();
    const std::size_t slot = last.size - 1;
    return rank < last.rank[slot] || (rank == last.rank[slot] && arrival < last.arrival[slot]);
}

void WaitingQueue::set_offsets(std::span<const double> offsets) {
    if (chained_ && live_ <= kFew) leave_chains();
    // Called at every pass: compares bits, many at a time.
    assert(offsets_.size() <= offsets.size());
    const std::size_t known = offsets_.size() * sizeof(double);
    const bool same = known == 0 || std::memcmp(offsets_.data(), offsets.data(), known) == 0;
    if (same && offsets_.size() == offsets.size()) return;
    offsets_.assign(offsets.begin(), offsets.end());
    if (chained_) {
        if (chains_->set_offsets(offsets)) is_stale_ = true;
    } else if (!same) {
        sort_by_split_keys();
    }
}

void WaitingQueue::sort_by_split_keys() {
    thread_local std::vector<double> keys;
    keys.clear();
    for (Position p = first_; p < end_; p = next(p)) {
        const SplitKey& key = split_keys_[job(p)];
        keys.push_back(key.own - offsets_[key.group]);
    }
    reorder(keys);
}

void WaitingQueue::use_chains() {
    std::vector<WaitingJob> jobs;
    jobs.reserve(live_);
    for (Position p = first_; p < end_; p = next(p)) {
        const Block& from = block(p);
        const std::size_t slot = p % kBlock;
        WaitingJob job{};
        job.job = from.job[slot];
        job.nodes = from.nodes[slot];
        job.estimate = from.estimate[slot];
        job.arrival = from.arrival[slot];
        job.demand = from.demand[slot];
        job.tier = -from.rank[slot].minus_tier;
        jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end(),
              [](const WaitingJob& a, const WaitingJob& b) { return a.arrival < b.arrival; });
    if (!chains_) chains_ = std::make_unique<JobChains>();
    chains_->set_offsets(offsets_);
    for (const WaitingJob& job : jobs) chains_->insert(job, split_keys_[job.job]);
    drop_blocks();
    chained_ = is_stale_ = true;
}

void WaitingQueue::leave_chains() {
    std::vector<Position> order;
    order.reserve(live_);
    for (Position p = first(); p < end(); p = next(p)) order.push_back(p);
    for (const Position p : order) chains_->remove(job(p));
    chained_ = false;
    rebuild(order);
}

void WaitingQueue::show_first() const {
    is_stale_ = false;
    // A long queue keeps only a few blocks for reuse.
    for (auto& block : blocks_) {
        if (spare_.size() < kSpare) spare_.push_back(std::move(block));
    }
    drop_blocks();
    chains_->restart();
    end_ = (1 + (live_ + kBlock - 1) / kBlock) * kBlock;
    append_block();
    first_ = show_block() ? kBlock : end_;
}

bool WaitingQueue::show_block() const {
    const std::size_t index = blocks_.size();
    JobChains::Ranked shown;
    if (!chains_->show_next(index * kBlock, shown)) {
        end_ = index * kBlock;
        return false;
    }
    append_block();
    Block& block = *blocks_.back();
    do {
        block.fill_slot(block.size++, shown);
    } while (block.size < kBlock && chains_->show_next(index * kBlock + block.size, shown));
    block.live = block.size;
    summarise(index);
    return true;
}

void WaitingQueue::show_until(Position until) const {
    while (blocks_.size() * kBlock < until && show_block()) continue;
}

void WaitingQueue::remove(Position position) {
    assert(waits(position));
    --live_;
    if (!chained_) {
        leave_slot(position);
        return;
    }
    const JobIndex left = job(position);
    const Position shown = chains_->shown_at(left);
    chains_->remove(left);
    if (blocks_[0]->job[0] == left) blocks_[0]->leave(0);
    if (shown != JobChains::kHidden) leave_slot(shown);
}

void WaitingQueue::leave_slot(Position position) {
    const std::size_t index = position / kBlock;
    Block& left = *blocks_[index];
    const std::size_t slot = position % kBlock;
    const bool was_least = left.nodes[slot] == least_nodes_[index] ||
                           left.estimate[slot] == least_estimate_[index];
    left.leave(slot);
    --left.live;
    if (was_least) summarise_needs(index);
    if (position == first_) skip_gone();
}

void WaitingQueue::skip_gone() const {
    if (first_ < end() && !waits(first_)) first_ = next(first_);
}

WaitingQueue::Position WaitingQueue::next_block(Position position) const {
    for (; position < end(); position += kBlock) {
        if (position >= blocks_.size() * kBlock && !show_block()) break;
        const std::uint64_t waiting = block(position).waiting;
        if (waiting) return position + std::countr_zero(waiting);
    }
    return end();
}

void WaitingQueue::tidy() {
    if (blocks_.size() <= 8 + 4 * live_ / kBlock) return;
    if (chained_) {
        is_stale_ = true;
        return;
    }
    std::vector<Position> order;
    order.reserve(live_);
    for (Position p = first_; p < end(); p = next(p)) order.push_back(p);
    rebuild(order);
}

void WaitingQueue::jobs(std::vector<JobIndex>& jobs) const {
    show_until(end());
    jobs.resize(live_);
    std::size_t next = 0;
    for (const auto& block : blocks_) {
        for (std::size_t i = 0; i < block->size; ++i) {
            if (block->nodes[i] != kGone) jobs[next++] = block->job[i];
        }
    }
}

// Gives the jobs their keys, in the present order; a slot that a job has left gets the rank of the
// slot before. Returns whether the present order is still right.
bool WaitingQueue::set_keys(std::span<const double> keys) {
    bool sorted = true;
    Rank last{std::numeric_limits<std::int32_t>::min(), 0};
    std::int64_t last_arrival = -1;
    std::size_t next = 0;
    for (std::size_t index = 0; index < blocks_.size(); ++index) {
        Block& block = *blocks_[index];
        for (std::size_t i = 0; i < block.size; ++i) {
            if (block.nodes[i] != kGone) {
                const Rank rank{block.rank[i].minus_tier, keys[next++]};
                sorted &= last < rank || (last == rank && last_arrival < block.arrival[i]);
                last = rank;
                last_arrival = block.arrival[i];
            }
            block.rank[i] = last;
        }
        if (block.size) last_rank_[index] = last;
    }
    return sorted;
}

void WaitingQueue::reorder(std::span<const double> keys) {
    assert(keys.size() == live_);
    if (set_keys(keys)) {
        tidy();
        return;
    }
    // Keep what is compared side by side: sorting is most of the work of an order that changes.
    struct Placed {
        Rank rank;
        std::int64_t arrival;
        Position position;
    };
    thread_local std::vector<Placed> placed;
    placed.clear();
    for (std::size_t index = 0; index < blocks_.size(); ++index) {
        const Block& block = *blocks_[index];
        for (std::size_t i = 0; i < block.size; ++i) {
            if (block.nodes[i] == kGone) continue;
            placed.push_back({block.rank[i], block.arrival[i], index * kBlock + i});
        }
    }
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        if (a.rank.minus_tier != b.rank.minus_tier) return a.rank.minus_tier < b.rank.minus_tier;
        return a.rank.key != b.rank.key ? a.rank.key < b.rank.key : a.arrival < b.arrival;
    });
    std::vector<Position> order(placed.size());
    std::transform(placed.begin(), placed.end(), order.begin(),
                   [](const Placed& each) { return each.position; });
    rebuild(order);
}

void WaitingQueue::rebuild(std::span<const Position> order) {
    auto old = std::move(blocks_);
    drop_blocks();
    for (const Position p : order) {
        if (blocks_.empty() || blocks_.back()->size == kBlock) append_block();
        Block& last = *blocks_.back();
        last.copy_slot(last.size, *old[p / kBlock], p % kBlock);
        ++last.size;
        ++last.live;
    }
    live_ = order.size();
    for (std::size_t i = 0; i < blocks_.size(); ++i) summarise(i);
    for (auto& block : old) {
        if (spare_.size() < kSpare) spare_.push_back(std::move(block));
    }
}

}  // namespace schedlab
