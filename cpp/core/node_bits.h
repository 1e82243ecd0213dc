#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"

namespace schedlab {

// Nodes first..last, both included.
struct NodeRange {
    NodeIndex first;
    NodeIndex last;
};

// Whether the node is one of these.
inline bool holds(std::span<const NodeRange> nodes, NodeIndex node) {
    return std::any_of(nodes.begin(), nodes.end(), [node](NodeRange range) {
        return range.first <= node && node <= range.last;
    });
}

// Nodes as bits of words: node n is bit n % kNodeBits of word n / kNodeBits.
inline constexpr int kNodeBits = 64;

inline std::size_t words_for(NodeCount nodes) {
    return (static_cast<std::size_t>(nodes) + kNodeBits - 1) / kNodeBits;
}

inline std::uint64_t bits_between(int from, int until) {
    const std::uint64_t below = until == kNodeBits ? ~0ULL : (1ULL << until) - 1;
    return below & ~((1ULL << from) - 1);
}

// The `count` lowest set bits of `bits`.
inline std::uint64_t lowest_bits(std::uint64_t bits, NodeCount count) {
    std::uint64_t rest = bits;
    while (count-- > 0) rest &= rest - 1;
    return bits & ~rest;
}

// Appends the nodes of one word, joining with the last range where they touch.
inline void append_ranges(std::uint64_t bits, NodeIndex base, std::size_t first_own,
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

// Appends one node, joining with the last range where they touch.
inline void append_node(NodeIndex node, std::size_t first_own, std::vector<NodeRange>& ranges) {
    if (ranges.size() > first_own && ranges.back().last + 1 == node) {
        ranges.back().last = node;
    } else {
        ranges.push_back({node, node});
    }
}

// Calls visit(word, bits) for every word that the range touches.
template <typename Visit>
void for_each_word(NodeRange range, Visit visit) {
    for (NodeIndex node = range.first; node <= range.last;) {
        const std::size_t word = static_cast<std::size_t>(node) / kNodeBits;
        const NodeIndex base = static_cast<NodeIndex>(word * kNodeBits);
        const int until = range.last - base < kNodeBits - 1 ? range.last - base + 1 : kNodeBits;
        visit(word, bits_between(node - base, until));
        node = base + until;
    }
}

}  // namespace schedlab
