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
using GpuMask = std::uint64_t;  // bit i: the i-th GPU of a node

constexpr Amount kWholeGpu = 1000;  // a whole GPU has 1000 parts
constexpr std::size_t kMostGpus = 64;

// What a job takes of each of its nodes.
struct Share {
    std::vector<Amount> amounts;  // by resource
    bool exclusive = false;       // needs idle nodes and takes all they have
    // Where each GPU is a resource: `gpus` of the GPUs gpu_first..gpu_last, and `milli` of each.
    std::int32_t gpus = 0;
    Amount milli = 0;
    std::int32_t gpu_first = 0, gpu_last = 0;  // bits of a mask, the last excluded

    auto operator<=>(const Share&) const = default;
};

// What a job needs of one set of nodes: `count` nodes, and the same share of each.
struct Part {
    std::int32_t set;
    NodeCount count;
    std::int32_t share;

    bool operator==(const Part&) const = default;
};

// What a reservation holds of its nodes until its job starts: the shares that the job needs, or
// whole nodes, as in Slurm's backfill.
enum class Hold { shares, nodes };

// Nodes with their resources, and the sets of nodes and shares that jobs ask for.
class Machine {
  public:
    // `capacity`: by resource, then by node. Every node has some of the first resource, and every
    // share takes some of it. The last `gpus` resources are the GPUs of a node, one by one, where
    // jobs share them.
    Machine(NodeCount nodes, std::vector<Amount> capacity, std::size_t gpus = 0);

    // Return the place of this set or share, added if it is new.
    std::int32_t add(NodeSet set);
    std::int32_t add(Share share);

    NodeCount nodes() const { return nodes_; }
    std::size_t resources() const { return resources_; }
    bool has_gpus() const { return gpu_begin_ < resources_; }
    // The resource that is the first GPU.
    std::size_t gpu_begin() const { return gpu_begin_; }
    Amount capacity(std::size_t resource, NodeIndex node) const {
        return capacity_[resource * static_cast<std::size_t>(nodes_) + node];
    }
    const std::vector<Amount>& capacity() const { return capacity_; }
    const NodeSet& set(std::int32_t place) const { return sets_[place]; }
    std::span<const NodeSet> sets() const { return sets_; }
    // Adds the set of each single node, for `place_of_node`.
    void add_single_nodes();
    // The place of the set that is this node alone.
    std::int32_t place_of_node(NodeIndex node) const { return single_nodes_[node]; }
    // All that an idle node has, as a share without a place.
    static constexpr std::int32_t kWholeNode = -1;
    const Share& share(std::int32_t place) const {
        return place == kWholeNode ? whole_node_ : shares_[place];
    }
    // What the share takes of this resource of the node.
    Amount taken(const Share& share, std::size_t resource, NodeIndex node) const {
        return share.exclusive ? capacity(resource, node) : share.amounts[resource];
    }
    // The same for a share that has these GPUs of the node.
    Amount taken(const Share& share, GpuMask gpus, std::size_t resource, NodeIndex node) const {
        const Amount rest = taken(share, resource, node);
        if (gpus == 0 || resource < gpu_begin_) return rest;
        return gpus >> (resource - gpu_begin_) & 1 ? share.milli : 0;
    }
    // Whether enough GPUs have enough free for the share; free(resource) is the free amount.
    template <typename Free>
    bool gpus_fit(const Share& share, Free free) const {
        std::int32_t found = 0;
        for (auto gpu = share.gpu_first; gpu < share.gpu_last && found < share.gpus; ++gpu) {
            found += free(gpu_begin_ + static_cast<std::size_t>(gpu)) >= share.milli;
        }
        return found >= share.gpus;
    }
    // Whether the two sets have a node in common.
    bool meet(std::int32_t one, std::int32_t other) const { return meets_[one][other]; }

  private:
    NodeCount nodes_;
    std::size_t resources_;
    std::size_t gpu_begin_;
    std::vector<Amount> capacity_;
    std::vector<NodeSet> sets_;
    std::vector<std::int32_t> single_nodes_;
    std::vector<Share> shares_;
    Share whole_node_{{}, true};
    std::map<Share, std::int32_t> place_of_share_;
    std::vector<std::vector<bool>> meets_;
};

}  // namespace schedlab
