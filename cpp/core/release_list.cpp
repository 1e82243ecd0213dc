#include "core/release_list.h"

#include <algorithm>
#include <cassert>

namespace schedlab {

ReleaseList::ReleaseList() : blocks_(1) {}

ReleaseList::Place ReleaseList::find(Time time) const {
    const auto block = std::partition_point(
        blocks_.begin(), blocks_.end() - 1,
        [time](const Block& b) { return b.time[b.size - 1] < time; });
    const auto first = block->time.begin();
    const auto entry = std::lower_bound(first, first + block->size, time);
    return {static_cast<std::size_t>(block - blocks_.begin()),
            static_cast<std::size_t>(entry - first)};
}

void ReleaseList::split(std::size_t index) {
    Block upper;
    Block& lower = blocks_[index];
    upper.size = lower.size / 2;
    lower.size -= upper.size;
    std::copy_n(lower.time.begin() + lower.size, upper.size, upper.time.begin());
    std::copy_n(lower.nodes.begin() + lower.size, upper.size, upper.nodes.begin());
    for (std::size_t i = 0; i < upper.size; ++i) upper.sum += upper.nodes[i];
    lower.sum -= upper.sum;
    blocks_.insert(blocks_.begin() + index + 1, upper);
}

void ReleaseList::add(Time time, NodeCount nodes) {
    Place place = find(time);
    if (blocks_[place.block].size == kBlock) {
        split(place.block);
        place = find(time);
    }
    Block& block = blocks_[place.block];
    const std::size_t i = place.index;
    block.sum += nodes;
    if (i < block.size && block.time[i] == time) {
        block.nodes[i] += nodes;
        return;
    }
    std::move_backward(block.time.begin() + i, block.time.begin() + block.size,
                       block.time.begin() + block.size + 1);
    std::move_backward(block.nodes.begin() + i, block.nodes.begin() + block.size,
                       block.nodes.begin() + block.size + 1);
    block.time[i] = time;
    block.nodes[i] = nodes;
    ++block.size;
}

void ReleaseList::remove(Time time, NodeCount nodes) {
    const Place place = find(time);
    Block& block = blocks_[place.block];
    const std::size_t i = place.index;
    assert(i < block.size && block.time[i] == time && block.nodes[i] >= nodes);
    block.sum -= nodes;
    block.nodes[i] -= nodes;
    if (block.nodes[i] > 0) return;
    std::move(block.time.begin() + i + 1, block.time.begin() + block.size,
              block.time.begin() + i);
    std::move(block.nodes.begin() + i + 1, block.nodes.begin() + block.size,
              block.nodes.begin() + i);
    if (--block.size == 0 && blocks_.size() > 1) blocks_.erase(blocks_.begin() + place.block);
}

Shadow ReleaseList::shadow(NodeCount needed, NodeCount free, Time soonest) const {
    std::int64_t there = free;
    for (const Block& block : blocks_) {
        const bool whole_block_first = block.size && there + block.sum < needed;
        if (whole_block_first) {
            there += block.sum;
            continue;
        }
        for (std::size_t i = 0; i < block.size; ++i) {
            if (there >= needed && block.time[i] > soonest) {
                return {soonest, static_cast<NodeCount>(there - needed)};
            }
            there += block.nodes[i];
            if (there >= needed && block.time[i] > soonest) {
                return {block.time[i], static_cast<NodeCount>(there - needed)};
            }
        }
    }
    assert(there >= needed);
    return {soonest, static_cast<NodeCount>(there - needed)};
}

}  // namespace schedlab
