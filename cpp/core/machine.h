#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/node_set.h"
#include "core/types.h"

namespace schedlab {

using Amount = std::int64_t;  // of one resource: cores, bytes, GPUs, ...

// What a job takes of each of its nodes.
struct Share {
    std::vector<Amount> amounts;  // by resource
    bool exclusive = false;       // needs idle nodes and takes all they have

    auto operator<=>(const Share&) const = default;
};

// What a job needs of one set of nodes: `count` of them, of each the same share.
struct Part {
    std::int32_t set;
    NodeCount count;
    std::int32_t share;

    bool operator==(const Part&) const = default;
};

// Nodes with their resources, and the sets of nodes and shares that jobs ask for.
class Machine {
  public:
    // `capacity`: by resource, then by node. Every node has some of the first resource, and every
    // share takes some of it.
    Machine(NodeCount nodes, std::vector<Amount> capacity);

    // Return the place of this set or share, added if it is new.
    std::int32_t add(NodeSet set);
    std::int32_t add(Share share);

    NodeCount nodes() const { return nodes_; }
    std::size_t resources() const { return resources_; }
    Amount capacity(std::size_t resource, NodeIndex node) const {
        return capacity_[resource * static_cast<std::size_t>(nodes_) + node];
    }
    const std::vector<Amount>& capacity() const { return capacity_; }
    const NodeSet& set(std::int32_t place) const { return sets_[place]; }
    std::span<const NodeSet> sets() const { return sets_; }
    const Share& share(std::int32_t place) const { return shares_[place]; }
    // What the share takes of this resource of the node.
    Amount taken(const Share& share, std::size_t resource, NodeIndex node) const {
        return share.exclusive ? capacity(resource, node) : share.amounts[resource];
    }
    // Whether the two sets have a node in common.
    bool meet(std::int32_t one, std::int32_t other) const { return meets_[one][other]; }

  private:
    NodeCount nodes_;
    std::size_t resources_;
    std::vector<Amount> capacity_;
    std::vector<NodeSet> sets_;
    std::vector<Share> shares_;
    std::map<Share, std::int32_t> place_of_share_;
    std::vector<std::vector<bool>> meets_;
};

}  // namespace schedlab
