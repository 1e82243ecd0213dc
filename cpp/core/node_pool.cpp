#include "core/node_pool.h"

#include <cassert>

namespace schedlab {

NodePool::NodePool(NodeCount nodes) : total_(nodes), free_(0) {
    const std::size_t words = words_for(nodes);
    words_.assign(words, 0);
    filled_.assign((words + kNodeBits - 1) / kNodeBits, 0);
    if (nodes > 0) {
        const NodeRange all{0, nodes - 1};
        give_back({&all, 1});
    }
}

void NodePool::take_bits(std::size_t word, std::uint64_t bits) {
    assert((words_[word] & bits) == bits);
    words_[word] &= ~bits;
    if (!words_[word]) filled_[word / kNodeBits] &= ~(1ULL << (word % kNodeBits));
}

void NodePool::take(NodeCount count, std::vector<NodeRange>& ranges) {
    assert(count <= free_);
    free_ -= count;
    const std::size_t first_own = ranges.size();
    for (std::size_t group = 0; count > 0; ++group) {
        while (filled_[group] && count > 0) {
            const std::size_t word = group * kNodeBits + std::countr_zero(filled_[group]);
            const std::uint64_t there = words_[word];
            const NodeCount available = std::popcount(there);
            const std::uint64_t bits = available <= count ? there : lowest_bits(there, count);
            append_ranges(bits, static_cast<NodeIndex>(word * kNodeBits), first_own, ranges);
            take_bits(word, bits);
            count -= available <= count ? available : count;
        }
    }
}

void NodePool::give_back(std::span<const NodeRange> ranges) {
    for (const NodeRange range : ranges) {
        free_ += range.last - range.first + 1;
        for_each_word(range, [this](std::size_t word, std::uint64_t bits) {
            assert((words_[word] & bits) == 0);
            give_bits(word, bits);
        });
    }
}

void NodePool::give_bits(std::size_t word, std::uint64_t bits) {
    words_[word] |= bits;
    filled_[word / kNodeBits] |= 1ULL << (word % kNodeBits);
}

void NodePool::take(std::span<const NodeRange> ranges) {
    for (const NodeRange range : ranges) {
        free_ -= range.last - range.first + 1;
        for_each_word(range, [this](std::size_t word, std::uint64_t bits) {
            take_bits(word, bits);
        });
    }
}

NodeCount NodePool::free_outside(std::span<const NodeRange> nodes) const {
    NodeCount outside = free_;
    for (const NodeRange range : nodes) {
        for_each_word(range, [&](std::size_t word, std::uint64_t bits) {
            outside -= std::popcount(words_[word] & bits);
        });
    }
    return outside;
}

void NodePool::take(NodeCount count, std::vector<NodeRange>& ranges,
                    std::span<const NodeRange> avoid) {
    std::vector<std::pair<std::size_t, std::uint64_t>> aside;
    for (const NodeRange range : avoid) {
        for_each_word(range, [&](std::size_t word, std::uint64_t bits) {
            if (const std::uint64_t free = words_[word] & bits) {
                aside.emplace_back(word, free);
                take_bits(word, free);
            }
        });
    }
    take(count, ranges);
    for (const auto& [word, bits] : aside) give_bits(word, bits);
}

}  // namespace schedlab
