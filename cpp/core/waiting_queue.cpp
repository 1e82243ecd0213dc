#include "core/waiting_queue.h"

#include <algorithm>
#include <cassert>

#include "core/find_where.h"

namespace schedlab {
namespace {

constexpr std::int32_t kLongest = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kNoArrival = std::numeric_limits<std::int64_t>::max();

std::int32_t capped(Time estimate) {
    return static_cast<std::int32_t>(std::min<Time>(estimate, kLongest));
}

}  // namespace

void WaitingQueue::Block::copy_slot(std::size_t to, const Block& source, std::size_t from) {
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
    std::fill(nodes.begin() + kept, nodes.begin() + size, kGone);
    size = kept;
}

void WaitingQueue::Block::open_slot(std::size_t slot) {
    for (std::size_t i = size; i > slot; --i) copy_slot(i, *this, i - 1);
    ++size;
    ++live;
}

WaitingQueue::WaitingQueue(const WaitingQueue& other)
    : least_nodes_(other.least_nodes_),
      least_estimate_(other.least_estimate_),
      least_arrival_(other.least_arrival_),
      last_rank_(other.last_rank_),
      first_(other.first_),
      live_(other.live_) {
    blocks_.reserve(other.blocks_.size());
    for (const auto& block : other.blocks_) blocks_.push_back(std::make_unique<Block>(*block));
}

void WaitingQueue::clear() {
    blocks_.clear();
    least_nodes_.clear();
    least_estimate_.clear();
    least_arrival_.clear();
    last_rank_.clear();
    first_ = 0;
    live_ = 0;
}

void WaitingQueue::append_block() {
    blocks_.push_back(std::make_unique<Block>());
    least_nodes_.push_back(kGone);
    least_estimate_.push_back(kLongest);
    least_arrival_.push_back(kNoArrival);
    last_rank_.push_back({});
}

void WaitingQueue::summarise(std::size_t index) {
    const Block& block = *blocks_[index];
    NodeCount nodes = kGone;
    std::int32_t estimate = kLongest;
    std::int64_t arrival = kNoArrival;
    for (std::size_t i = 0; i < block.size; ++i) {
        const bool gone = block.nodes[i] == kGone;
        nodes = std::min(nodes, block.nodes[i]);
        estimate = std::min(estimate, gone ? kLongest : block.estimate[i]);
        arrival = std::min(arrival, gone ? kNoArrival : block.arrival[i]);
    }
    least_nodes_[index] = nodes;
    least_estimate_[index] = estimate;
    least_arrival_[index] = arrival;
    if (block.size) last_rank_[index] = block.rank[block.size - 1];
}

void WaitingQueue::split(std::size_t index) {
    auto upper = std::make_unique<Block>();
    Block& lower = *blocks_[index];
    const std::size_t half = lower.size / 2;
    for (std::size_t i = half; i < lower.size; ++i) upper->copy_slot(i - half, lower, i);
    upper->size = upper->live = lower.size - half;
    std::fill(lower.nodes.begin() + half, lower.nodes.end(), kGone);
    lower.size = lower.live = half;
    blocks_.insert(blocks_.begin() + index + 1, std::move(upper));
    least_nodes_.insert(least_nodes_.begin() + index + 1, kGone);
    least_estimate_.insert(least_estimate_.begin() + index + 1, kLongest);
    least_arrival_.insert(least_arrival_.begin() + index + 1, kNoArrival);
    last_rank_.insert(last_rank_.begin() + index + 1, Rank{});
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

void WaitingQueue::remove(Position position) {
    assert(waits(position));
    const std::size_t index = position / kBlock;
    Block& left = *blocks_[index];
    const std::size_t slot = position % kBlock;
    const bool was_least = left.nodes[slot] == least_nodes_[index] ||
                           left.estimate[slot] == least_estimate_[index] ||
                           left.arrival[slot] == least_arrival_[index];
    left.nodes[slot] = kGone;
    --left.live;
    --live_;
    if (was_least) summarise(index);
    if (position == first_) skip_gone();
}

void WaitingQueue::skip_gone() {
    if (first_ < end() && !waits(first_)) first_ = next(first_);
}

WaitingQueue::Position WaitingQueue::next(Position position) const {
    for (++position; position < end(); ++position) {
        const std::size_t slot = position % kBlock;
        if (block(position).live == 0 || slot >= block(position).size) {
            position += kBlock - 1 - slot;  // nobody waits in the rest of this block
        } else if (waits(position)) {
            return position;
        }
    }
    return end();
}

void WaitingQueue::tidy() {
    if (blocks_.size() <= 8 + 4 * live_ / kBlock) return;
    std::vector<Position> order;
    order.reserve(live_);
    for (Position p = first_; p < end(); p = next(p)) order.push_back(p);
    rebuild(order);
}

void WaitingQueue::jobs(std::vector<JobIndex>& jobs) const {
    jobs.resize(live_);
    std::size_t next = 0;
    for (const auto& block : blocks_) {
        for (std::size_t i = 0; i < block->size; ++i) {
            if (block->nodes[i] != kGone) jobs[next++] = block->job[i];
        }
    }
}

// Gives the jobs their keys, in the present order; slots that jobs have left follow the one before.
// Returns whether the present order is the right one still.
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
    std::vector<Position> order;
    order.reserve(live_);
    for (Position p = first_; p < end(); p = next(p)) order.push_back(p);
    const auto before = [this](Position a, Position b) {
        const Rank one = block(a).rank[a % kBlock], other = block(b).rank[b % kBlock];
        return one != other ? one < other : arrival(a) < arrival(b);
    };
    std::sort(order.begin(), order.end(), before);
    rebuild(order);
}

void WaitingQueue::rebuild(std::span<const Position> order) {
    const auto old = std::move(blocks_);
    clear();
    for (const Position p : order) {
        if (blocks_.empty() || blocks_.back()->size == kBlock) append_block();
        Block& last = *blocks_.back();
        last.copy_slot(last.size, *old[p / kBlock], p % kBlock);
        ++last.size;
        ++last.live;
    }
    live_ = order.size();
    for (std::size_t i = 0; i < blocks_.size(); ++i) summarise(i);
}

WaitingQueue::Position WaitingQueue::end_of_first(std::size_t depth) const {
    if (depth >= live_) return end();
    Position position = first_;
    for (std::size_t seen = 0; seen < depth; ++seen) position = next(position);
    return position;
}

WaitingQueue::Position WaitingQueue::end_of_keys(double most) const {
    const auto beyond = std::upper_bound(last_rank_.begin(), last_rank_.end(), Rank{0, most});
    if (beyond == last_rank_.end()) return end();
    const std::size_t index = beyond - last_rank_.begin();
    const Block& block = *blocks_[index];
    const auto ranks = block.rank.begin();
    const auto slot = std::upper_bound(ranks, ranks + block.size, Rank{0, most});
    return index * kBlock + (slot - ranks);
}

WaitingQueue::Position WaitingQueue::find_in(JobIndex job, std::size_t first_block,
                                             std::size_t end_block) const {
    for (std::size_t index = end_block; index-- > first_block;) {
        const Block& block = *blocks_[index];
        for (std::size_t slot = 0; slot < block.size; ++slot) {
            // A job that was interrupted may have left a slot of this block before.
            if (block.job[slot] == job && block.nodes[slot] != kGone) return index * kBlock + slot;
        }
    }
    return end();
}

WaitingQueue::Position WaitingQueue::oldest() const {
    const auto least = std::min_element(least_arrival_.begin(), least_arrival_.end());
    Position found = (least - least_arrival_.begin()) * kBlock;
    while (arrival(found) != *least || !waits(found)) ++found;
    return found;
}

WaitingQueue::Position WaitingQueue::find(JobIndex job) const {
    return find_in(job, first_ / kBlock, blocks_.size());
}

WaitingQueue::Position WaitingQueue::find(JobIndex job, double key) const {
    const Rank rank{0, key};
    const auto from = std::lower_bound(last_rank_.begin(), last_rank_.end(), rank);
    const auto until = std::upper_bound(from, last_rank_.end(), rank);
    const std::size_t end_block = std::min<std::size_t>(until - last_rank_.begin() + 1, blocks_.size());
    return find_in(job, from - last_rank_.begin(), end_block);
}

WaitingQueue::Position WaitingQueue::find_not_skipped(
    Position from, Position until, std::span<const std::uint8_t> skipped) const {
    while (from < until) {
        const Block& here = block(from);
        const Position base = from / kBlock * kBlock;
        const std::size_t stop = std::min(here.size, until - base);
        for (std::size_t slot = from - base; slot < stop; ++slot) {
            if (here.nodes[slot] != kGone && !skipped[here.demand[slot]]) return base + slot;
        }
        from = base + kBlock;
    }
    return until;
}

WaitingQueue::Position WaitingQueue::find_backfill(Position from, Position until, NodeCount nodes,
                                                   Time estimate, NodeCount extra) const {
    const std::int32_t longest = capped(estimate);
    // By columns of nodes and of estimates.
    const auto allowed = [=](const NodeCount* n, const std::int32_t* r) {
        return [=](auto read) {
            return (read(n) <= nodes) & ((read(r) <= longest) | (read(n) <= extra));
        };
    };
    const auto block_allowed = allowed(least_nodes_.data(), least_estimate_.data());
    const std::size_t end_block = (until + kBlock - 1) / kBlock;
    for (std::size_t index = from / kBlock;; ++index) {
        index = find_where(index, end_block, block_allowed);
        if (index >= end_block) return until;
        const std::size_t slot = index == from / kBlock ? from % kBlock : 0;
        const Block& here = *blocks_[index];
        const std::size_t stop = std::min(here.size, until - index * kBlock);
        const std::size_t found =
            find_where(slot, stop, allowed(here.nodes.data(), here.estimate.data()));
        if (found < stop) return index * kBlock + found;
    }
}

}  // namespace schedlab
