#include "core/node_pool.h"

#include <bit>
#include <cassert>

namespace schedlab {
namespace {

constexpr int kBits = 64;

std::uint64_t bits_between(int from, int until) {
    const std::uint64_t below = until == kBits ? ~0ULL : (1ULL << until) - 1;
    return below & ~((1ULL << from) - 1);
}

// The `count` lowest set bits of `bits`.
std::uint64_t lowest_bits(std::uint64_t bits, NodeCount count) {
    std::uint64_t rest = bits;
    while (count-- > 0) rest &= rest - 1;
    return bits & ~rest;
}

// Appends the nodes of one word, joining with the last range where they touch.
void append_ranges(std::uint64_t bits, NodeIndex base, std::size_t first_own,
                   std::vector<NodeRange>& ranges) {
    while (bits) {
        const int from = std::countr_zero(bits);
        const int length = std::countr_one(bits >> from);
        const NodeIndex first = base + from;
        const NodeIndex last = first + length - 1;
        if (ranges.size() > first_own && ranges.back().last + 1 == first) {
            ranges.back().last = last;
        } else {
            ranges.push_back({first, last});
        }
        bits &= ~bits_between(from, from + length);
    }
}

// Calls visit(word, bits) for every word that the range touches.
template <typename Visit>
void for_each_word(NodeRange range, Visit visit) {
    for (NodeIndex node = range.first; node <= range.last;) {
        const std::size_t word = static_cast<std::size_t>(node) / kBits;
        const NodeIndex base = static_cast<NodeIndex>(word * kBits);
        const int until = range.last - base < kBits - 1 ? range.last - base + 1 : kBits;
        visit(word, bits_between(node - base, until));
        node = base + until;
    }
}

}  // namespace

NodePool::NodePool(NodeCount nodes) : total_(nodes), free_(0) {
    const std::size_t words = (static_cast<std::size_t>(nodes) + kBits - 1) / kBits;
    words_.assign(words, 0);
    filled_.assign((words + kBits - 1) / kBits, 0);
    if (nodes > 0) {
        const NodeRange all{0, nodes - 1};
        give_back({&all, 1});
    }
}

void NodePool::take_bits(std::size_t word, std::uint64_t bits) {
    assert((words_[word] & bits) == bits);
    words_[word] &= ~bits;
    if (!words_[word]) filled_[word / kBits] &= ~(1ULL << (word % kBits));
}

void NodePool::take(NodeCount count, std::vector<NodeRange>& ranges) {
    assert(count <= free_);
    free_ -= count;
    const std::size_t first_own = ranges.size();
    for (std::size_t group = 0; count > 0; ++group) {
        while (filled_[group] && count > 0) {
            const std::size_t word = group * kBits + std::countr_zero(filled_[group]);
            const std::uint64_t there = words_[word];
            const NodeCount available = std::popcount(there);
            const std::uint64_t bits = available <= count ? there : lowest_bits(there, count);
            append_ranges(bits, static_cast<NodeIndex>(word * kBits), first_own, ranges);
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
    filled_[word / kBits] |= 1ULL << (word % kBits);
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
