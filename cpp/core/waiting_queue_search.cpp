// Where jobs stand in the queue, and which may be backfilled.
#include <algorithm>

#include "core/find_where.h"
#include "core/waiting_queue.h"

namespace schedlab {

WaitingQueue::Position WaitingQueue::end_of_first(std::size_t depth) const {
    if (depth >= live_) {
        show_until(end());
        return end();
    }
    Position position = first();
    for (std::size_t seen = 0; seen < depth; ++seen) position = next(position);
    return position;
}

WaitingQueue::Position WaitingQueue::end_of_keys(double most) const {
    if (most == std::numeric_limits<double>::infinity()) return end();
    show_until(end());
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
    if (chained_) {
        if (is_stale_) show_first();
        const JobChains::Ranked first = chains_->oldest();
        const Position shown = chains_->shown_at(first.link.job);
        if (shown != JobChains::kHidden) return shown;
        blocks_[0]->fill_slot(0, first);
        return 0;
    }
    for (;;) {
        const auto least = std::min_element(least_arrival_.begin(), least_arrival_.end());
        const std::size_t index = least - least_arrival_.begin();
        const Block& here = *blocks_[index];
        for (std::uint64_t rest = here.waiting; rest; rest &= rest - 1) {
            const auto slot = static_cast<std::size_t>(std::countr_zero(rest));
            if (here.arrival[slot] == *least) return index * kBlock + slot;
        }
        least_arrival_[index] = here.least_arrival();  // the job of that arrival has left
    }
}

WaitingQueue::Position WaitingQueue::find(JobIndex job) const {
    if (chained_) {
        if (is_stale_) show_first();
        if (!chains_->waits(job)) return end();
        while (chains_->shown_at(job) == JobChains::kHidden) show_block();
        return chains_->shown_at(job);
    }
    return find_in(job, first_ / kBlock, blocks_.size());
}

WaitingQueue::Position WaitingQueue::find(JobIndex job, double key) const {
    if (chained_) return find(job);
    const Rank rank{0, key};
    const auto from = std::lower_bound(last_rank_.begin(), last_rank_.end(), rank);
    const auto until = std::upper_bound(from, last_rank_.end(), rank);
    const std::size_t end_block = std::min<std::size_t>(until - last_rank_.begin() + 1, blocks_.size());
    return find_in(job, from - last_rank_.begin(), end_block);
}

WaitingQueue::Position WaitingQueue::find_not_skipped(
    Position from, Position until, std::span<const std::uint8_t> skipped) const {
    while (from < until) {
        if (from >= blocks_.size() * kBlock && !show_block()) break;
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
    show_until(until);
    const auto block_allowed = allowed(least_nodes_.data(), least_estimate_.data());
    const std::size_t end_block = std::min((until + kBlock - 1) / kBlock, blocks_.size());
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
