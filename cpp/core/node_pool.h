#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/node_bits.h"
#include "core/types.h"

namespace schedlab {

// The nodes of one cluster and which of them are free; the lowest numbers are taken first.
// A bitmap with a second one over it, so that a search skips 4096 occupied nodes at a time.
class NodePool {
  public:
    explicit NodePool(NodeCount nodes);

    NodeCount total() const { return total_; }
    NodeCount free() const { return free_; }

    // Takes the `count` lowest free nodes and appends their ranges. Needs count <= free().
    void take(NodeCount count, std::vector<NodeRange>& ranges);
    // The same, but none of `avoid`. Needs count <= free_outside(avoid).
    void take(NodeCount count, std::vector<NodeRange>& ranges, std::span<const NodeRange> avoid);
    // Takes these very nodes, which must be free.
    void take(std::span<const NodeRange> ranges);
    NodeCount free_outside(std::span<const NodeRange> nodes) const;
    void give_back(std::span<const NodeRange> ranges);

  private:
    void take_bits(std::size_t word, std::uint64_t bits);
    void give_bits(std::size_t word, std::uint64_t bits);

    NodeCount total_;
    NodeCount free_;
    std::vector<std::uint64_t> words_;   // a set bit is a free node
    std::vector<std::uint64_t> filled_;  // a set bit is a word with a free node
};

}  // namespace schedlab
