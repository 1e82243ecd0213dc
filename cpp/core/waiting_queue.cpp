#include "core/waiting_queue.h"

#include <algorithm>
#include <cassert>

namespace schedlab {
namespace {

constexpr std::int32_t kLongest = std::numeric_limits<std::int32_t>::max();

std::int32_t capped(Time estimate) {
    return static_cast<std::int32_t>(std::min<Time>(estimate, kLongest));
}

// The first index in [from, until) where the test holds; `until` if there is none.
// Stretches of 16 are tested without a branch, which compilers turn into vector instructions.
template <typename Test>
std::size_t find_where(std::size_t from, std::size_t until, Test test) {
    constexpr std::size_t kStretch = 16;
    for (; from + kStretch <= until; from += kStretch) {
        unsigned any = 0;
        for (std::size_t i = from; i < from + kStretch; ++i) any |= test(i);
        if (any) break;
    }
    while (from < until && !test(from)) ++from;
    return from;
}

}  // namespace

void WaitingQueue::Block::copy_slot(std::size_t to, const Block& source, std::size_t from) {
    nodes[to] = source.nodes[from];
    estimate[to] = source.estimate[from];
    job[to] = source.job[from];
    key[to] = source.key[from];
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

void WaitingQueue::clear() {
    blocks_.clear();
    least_nodes_.clear();
    least_estimate_.clear();
    last_key_.clear();
    first_ = 0;
    live_ = 0;
}

void WaitingQueue::append_block() {
    blocks_.push_back(std::make_unique<Block>());
    least_nodes_.push_back(kGone);
    least_estimate_.push_back(kLongest);
    last_key_.push_back(0);
}

void WaitingQueue::summarise(std::size_t index) {
    const Block& block = *blocks_[index];
    NodeCount nodes = kGone;
    std::int32_t estimate = kLongest;
    for (std::size_t i = 0; i < block.size; ++i) {
        nodes = std::min(nodes, block.nodes[i]);
        estimate = std::min(estimate, block.nodes[i] == kGone ? kLongest : block.estimate[i]);
    }
    least_nodes_[index] = nodes;
    least_estimate_[index] = estimate;
    if (block.size) last_key_[index] = block.key[block.size - 1];
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
    last_key_.insert(last_key_.begin() + index + 1, 0);
    summarise(index);
    summarise(index + 1);
}

// The block in which a newcomer with that key belongs: behind all equal keys.
std::size_t WaitingQueue::block_for(double key) const {
    const auto place = std::upper_bound(last_key_.begin(), last_key_.end(), key);
    return std::min<std::size_t>(place - last_key_.begin(), blocks_.size() - 1);
}

void WaitingQueue::insert(const WaitingJob& job, double key) {
    if (blocks_.empty()) append_block();
    std::size_t index = block_for(key);
    if (blocks_[index]->size == kBlock) {
        const bool at_the_end = index + 1 == blocks_.size() && last_key_[index] <= key;
        blocks_[index]->close_gaps();
        first_ = std::min(first_, index * kBlock);
        if (blocks_[index]->size == kBlock && at_the_end) {
            append_block();
        } else if (blocks_[index]->size == kBlock) {
            split(index);
        }
        index = at_the_end ? blocks_.size() - 1 : block_for(key);
    }
    Block& block = *blocks_[index];
    const auto keys = block.key.begin();
    const std::size_t slot = std::upper_bound(keys, keys + block.size, key) - keys;
    block.open_slot(slot);
    block.nodes[slot] = job.nodes;
    block.estimate[slot] = capped(job.estimate);
    block.job[slot] = job.job;
    block.key[slot] = key;
    block.arrival[slot] = job.arrival;
    last_key_[index] = block.key[block.size - 1];
    least_nodes_[index] = std::min(least_nodes_[index], job.nodes);
    least_estimate_[index] = std::min(least_estimate_[index], block.estimate[slot]);
    ++live_;
    first_ = std::min(first_, index * kBlock);
    skip_gone();
}

void WaitingQueue::remove(Position position) {
    assert(waits(position));
    const std::size_t index = position / kBlock;
    Block& left = *blocks_[index];
    const std::size_t slot = position % kBlock;
    const bool was_least =
        left.nodes[slot] == least_nodes_[index] || left.estimate[slot] == least_estimate_[index];
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

void WaitingQueue::reorder(std::span<const double> keys) {
    assert(keys.size() == live_);
    std::vector<Position> order;
    order.reserve(live_);
    for (Position p = first_; p < end(); p = next(p)) {
        blocks_[p / kBlock]->key[p % kBlock] = keys[order.size()];
        order.push_back(p);
    }
    const auto before = [this](Position a, Position b) {
        const double left = block(a).key[a % kBlock], right = block(b).key[b % kBlock];
        return left != right ? left < right : arrival(a) < arrival(b);
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
    const auto beyond = std::upper_bound(last_key_.begin(), last_key_.end(), most);
    if (beyond == last_key_.end()) return end();
    const std::size_t index = beyond - last_key_.begin();
    const Block& block = *blocks_[index];
    const auto slot = std::upper_bound(block.key.begin(), block.key.begin() + block.size, most);
    return index * kBlock + (slot - block.key.begin());
}

WaitingQueue::Position WaitingQueue::find_in(JobIndex job, std::size_t first_block,
                                             std::size_t end_block) const {
    for (std::size_t index = end_block; index-- > first_block;) {
        const Block& block = *blocks_[index];
        const auto slot = std::find(block.job.begin(), block.job.begin() + block.size, job);
        const Position position = index * kBlock + (slot - block.job.begin());
        if (slot != block.job.begin() + block.size && waits(position)) return position;
    }
    return end();
}

WaitingQueue::Position WaitingQueue::oldest() const {
    Position found = first();
    for (Position at = found; at < end(); at = next(at)) {
        if (arrival(at) < arrival(found)) found = at;
    }
    return found;
}

WaitingQueue::Position WaitingQueue::find(JobIndex job) const {
    return find_in(job, first_ / kBlock, blocks_.size());
}

WaitingQueue::Position WaitingQueue::find(JobIndex job, double key) const {
    const auto from = std::lower_bound(last_key_.begin(), last_key_.end(), key);
    const auto until = std::upper_bound(from, last_key_.end(), key);
    const std::size_t end_block = std::min<std::size_t>(until - last_key_.begin() + 1, blocks_.size());
    return find_in(job, from - last_key_.begin(), end_block);
}

WaitingQueue::Position WaitingQueue::find_backfill(Position from, Position until, NodeCount nodes,
                                                   Time estimate, NodeCount extra) const {
    const std::int32_t longest = capped(estimate);
    const auto allowed = [=](NodeCount n, std::int32_t r) {
        return (n <= nodes) & ((r <= longest) | (n <= extra));
    };
    const std::size_t end_block = (until + kBlock - 1) / kBlock;
    for (std::size_t index = from / kBlock;; ++index) {
        index = find_where(index, end_block, [&](std::size_t i) {
            return allowed(least_nodes_[i], least_estimate_[i]);
        });
        if (index >= end_block) return until;
        const std::size_t slot = index == from / kBlock ? from % kBlock : 0;
        const Block& here = *blocks_[index];
        const std::size_t stop = std::min(here.size, until - index * kBlock);
        const std::size_t found = find_where(
            slot, stop, [&](std::size_t i) { return allowed(here.nodes[i], here.estimate[i]); });
        if (found < stop) return index * kBlock + found;
    }
}

}  // namespace schedlab
