#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/node_bits.h"
#include "core/types.h"

namespace schedlab {

// Some of the nodes of a machine, by their numbers.
class NodeSet {
  public:
    NodeSet() = default;
    NodeSet(NodeCount total, std::span<const NodeRange> nodes);
    static NodeSet all(NodeCount total);

    NodeCount count() const { return count_; }
    // Whether the two have a node in common.
    bool meets(const NodeSet& other) const;
    bool contains(const NodeSet& other) const;
    bool operator==(const NodeSet&) const = default;

    void add(const NodeSet& other);
    void remove(const NodeSet& other);
    void keep(const NodeSet& other);  // only those also in `other`

    // The `count` lowest-numbered. Needs count <= count().
    NodeSet lowest(NodeCount count) const;
    std::vector<NodeRange> ranges() const;

  private:
    void recount();

    NodeCount count_ = 0;
    std::vector<std::uint64_t> words_;
};

}  // namespace schedlab
