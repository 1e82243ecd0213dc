#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "slurm/twin_job.h"

namespace schedlab::slurm {

// What is free on a node.
struct Room {
    std::int32_t cpus;
    std::int32_t gpus;
    double memory_mb;
    // By level, from the second on: CPUs that jobs of lower levels hold.
    std::array<std::int16_t, kMostLevels - 1> below = {};

    void take(const NodeShare& share) {
        cpus -= share.cpus;
        memory_mb -= share.memory_mb;
        gpus -= share.gpus;
        change_below(share.level, share.cpus);
    }
    void give(const NodeShare& share) {
        cpus += share.cpus;
        memory_mb += share.memory_mb;
        gpus += share.gpus;
        change_below(share.level, -share.cpus);
    }
    // The room of a job that lets jobs of lower levels wait.
    Room over_lower(std::int32_t level) const {
        Room room = *this;
        if (level > 0) room.cpus += below[level - 1];
        return room;
    }

  private:
    void change_below(std::int32_t level, std::int32_t cpus) {
        for (auto at = static_cast<std::size_t>(level); at < below.size(); ++at) {
            below[at] = static_cast<std::int16_t>(below[at] + cpus);
        }
    }
};

using Rooms = std::vector<Room>;
using KeptCores = std::unordered_map<NodeIndex, std::int32_t>;  // by node: free, but not for a job
using Picked = std::optional<std::vector<NodeIndex>>;

// Chooses nodes for jobs: select/cons_tres and topology/tree.
class Selector {
  public:
    explicit Selector(const Site& site);

    NodeCount node_count() const { return site_.node_count(); }
    const Rooms& all_free() const { return all_free_; }
    // The nodes that could hold a part of the job if they were idle.
    const Nodes& capable(const ShapeRow& shape) const {
        return capable_[number_of(shape)];
    }
    // The same, and nodes that lack only its GPUs.
    const Nodes& capable_but_gpus(const ShapeRow& shape) const {
        return capable_but_gpus_[number_of(shape)];
    }
    // Whether the job must have all its CPUs on one node.
    bool wants_all_of_one(const ShapeRow& shape) const;
    // The most CPUs that the job could use on the node with this room.
    std::int32_t most_of(const ShapeRow& shape, NodeIndex node, const Room& room) const {
        const PartitionRow& own = site_.partitions[shape.partition];
        if (site_.settings.gangs) return offer(shape, node, room.over_lower(own.level), own.rows - 1);
        return offer(shape, node, room, own.rows - 1);
    }
    // Whether a node with this many CPUs is of use: a job that must fit on one node needs all it asks.
    bool is_enough(const ShapeRow& shape, std::int32_t cpus) const {
        return cpus > 0 && (cpus >= shape.cpus() || !wants_all_of_one(shape));
    }
    bool is_useful(const ShapeRow& shape, NodeIndex node, const Room& room) const {
        return is_enough(shape, most_of(shape, node, room));
    }
    // The allowed nodes that the job would get, given the room of each. Where jobs are suspended by
    // tier, jobs of lower tiers do not count if this job does not fit beside them.
    template <typename RoomOf>
    Picked pick(const ShapeRow& shape, const Nodes& allowed, const KeptCores& kept,
                RoomOf room_of) const {
        if (Picked found = pick_of(shape, allowed, kept, room_of)) return found;
        if (!site_.settings.gangs) return {};
        const std::int32_t level = site_.partitions[shape.partition].level;
        return pick_of(shape, allowed, kept,
                       [&](NodeIndex node) { return room_of(node).over_lower(level); });
    }
    Picked pick(const ShapeRow& shape, const Rooms& rooms, const Nodes& allowed,
                const KeptCores& kept = {}) const {
        return pick(shape, allowed, kept,
                    [&](NodeIndex node) -> const Room& { return rooms[node]; });
    }
    // Tests a submitted job on idle nodes, as Slurm does; this sets weights.
    void test(const ShapeRow& shape) const;
    // Resets the weights of all nodes that could hold the job, except those that are barred, as
    // Slurm does when it starts a job.
    void forget_gpus(const ShapeRow& shape, const Nodes& barred) const;
    // Whether the job would fit on an idle machine without these nodes.
    bool ever(const ShapeRow& shape, const Nodes& barred) const;
    // The same, without changing weights.
    bool could(const ShapeRow& shape, const Nodes& barred) const;
    // What the job holds of each of its nodes, in order of their numbers.
    std::vector<NodeShare> shares(const ShapeRow& shape,
                                  std::vector<NodeIndex> nodes) const;
    Amounts holds(const ShapeRow& shape, const std::vector<NodeShare>& shares) const;

  private:
    template <typename RoomOf>
    Picked pick_of(const ShapeRow& shape, const Nodes& allowed, const KeptCores& kept,
                   RoomOf room_of) const {
        const Nodes& places = places_of(shape, allowed);
        for (std::int32_t row = 0; row < site_.partitions[shape.partition].rows; ++row) {
            offers_.clear();
            places.for_each([&](NodeIndex node) {
                const Room& room = room_of(node);
                note_gpus(shape, node, room);
                const std::int32_t cpus = kept.empty()
                                              ? offer(shape, node, room, row)
                                              : offer(shape, node, less(room, node, kept), row);
                if (cpus > 0) offers_.push_back({node, cpus, weight_of(node)});
            });
            if (Picked found = choose(shape, offers_)) return found;
        }
        return {};
    }

    // Lighter nodes go first; among nodes of one weight, those with more GPUs.
    using Weight = std::int64_t;
    static constexpr Weight kLightest = std::numeric_limits<Weight>::min();
    static constexpr Weight kHeaviest = std::numeric_limits<Weight>::max();
    // A node and how many of its CPUs the job could use.
    struct Offer {
        NodeIndex node;
        std::int32_t cpus;
        Weight weight;
    };

    // A node on which a job that wants GPUs is tested counts as lighter from then on.
    void note_gpus(const ShapeRow& shape, NodeIndex node, const Room& room) const {
        if (shape.gpus > 0 && room.gpus >= shape.gpus) near_gpus_[node] = room.gpus;
    }
    static Room less(Room room, NodeIndex node, const KeptCores& kept) {
        const auto found = kept.find(node);
        if (found != kept.end()) room.cpus -= found->second;
        return room;
    }
    std::size_t number_of(const ShapeRow& shape) const {
        return static_cast<std::size_t>(&shape - site_.shapes.data());
    }
    Weight weight_of(NodeIndex node) const {
        return (Weight{site_.nodes[node].weight} << 32) - near_gpus_[node];
    }
    const Nodes& places_of(const ShapeRow& shape, const Nodes& allowed) const;
    // CPUs that are free in a row. With OverSubscribe=FORCE:2 a node has two rows of jobs; the first
    // is filled first.
    std::int32_t free_cpus(NodeIndex node, const Room& room, std::int32_t row) const {
        const NodeRow& own = site_.nodes[node];
        return std::clamp(room.cpus - own.cpus * (own.rows - 1 - row), 0, own.cpus);
    }
    // 0 if the node is useless to the shape.
    std::int32_t offer(const ShapeRow& shape, NodeIndex node, const Room& room,
                       std::int32_t row) const;
    bool has_memory(const ShapeRow& shape, std::int32_t cpus, const Room& room) const;
    // Takes the lightest nodes that are enough; if that fails, tries again without those that offer
    // least.
    Picked choose(const ShapeRow& shape, std::vector<Offer>& group) const;
    // Takes all nodes of the lighter weights, and as many of the heaviest weight as are needed.
    Picked by_weight(const ShapeRow& shape, const std::vector<Offer>& offers) const;
    // Takes the nodes `first_`, then others of their leaves, then leaf by leaf of `rest_`.
    Picked leaf_by_leaf(const ShapeRow& shape) const;

    const Site& site_;
    Rooms all_free_;
    std::vector<Nodes> capable_;            // by shape
    std::vector<Nodes> capable_but_gpus_;   // by shape: the same whatever GPUs they have
    // By node: its free GPUs when a job that asks for some was last tested there. Slurm keeps them
    // in the weight of the node, whichever job comes next.
    mutable std::vector<std::int32_t> near_gpus_;
    // Scratch while nodes are picked; members, so that they keep their memory.
    mutable std::vector<Offer> offers_, first_, rest_;
    mutable Nodes places_;
};

}  // namespace schedlab::slurm
