#pragma once

#include <optional>
#include <vector>

#include "slurm/twin_job.h"

namespace schedlab::slurm {

// What is free on a node.
struct Room {
    std::int32_t cpus;
    double memory_mb;
    std::int32_t gpus;

    void take(const NodeShare& share) {
        cpus -= share.cpus;
        memory_mb -= share.memory_mb;
        gpus -= share.gpus;
    }
    void give(const NodeShare& share) {
        cpus += share.cpus;
        memory_mb += share.memory_mb;
        gpus += share.gpus;
    }
};

using Rooms = std::vector<Room>;
using Picked = std::optional<std::vector<NodeIndex>>;

// Chooses nodes for jobs: select/cons_tres and topology/tree.
class Selector {
  public:
    explicit Selector(const Site& site);

    const Rooms& all_free() const { return all_free_; }
    // The nodes that could hold a part of the job if they were idle.
    const Nodes& capable(const ShapeRow& shape) const {
        return capable_[static_cast<std::size_t>(&shape - site_.shapes.data())];
    }
    // Whether the node, with this room, could be one of those that the job gets.
    bool is_useful(const ShapeRow& shape, NodeIndex node, const Room& room) const;
    // The nodes that the job would get of those allowed, given the room of each.
    template <typename RoomOf>
    Picked pick(const ShapeRow& shape, const Nodes& allowed, RoomOf room_of) const {
        std::vector<Offer> offers;
        places_of(shape, allowed).for_each([&](NodeIndex node) {
            const std::int32_t cpus = offer(shape, node, room_of(node));
            if (cpus > 0) offers.push_back({node, cpus});
        });
        return choose_by_weight(shape, offers);
    }
    Picked pick(const ShapeRow& shape, const Rooms& rooms, const Nodes& allowed) const {
        return pick(shape, allowed, [&](NodeIndex node) { return rooms[node]; });
    }
    // Whether the job would fit on an idle machine without these nodes.
    bool ever(const ShapeRow& shape, const Nodes& barred) const;
    // What the job holds of each of its nodes, in order of their numbers.
    std::vector<NodeShare> shares(const ShapeRow& shape,
                                  std::vector<NodeIndex> nodes) const;
    static Amounts holds(const std::vector<NodeShare>& shares);

  private:
    // A node and how many of its CPUs the job could use.
    struct Offer {
        NodeIndex node;
        std::int32_t cpus;
    };

    Nodes places_of(const ShapeRow& shape, const Nodes& allowed) const;
    // 0 if the node is useless to the shape.
    std::int32_t offer(const ShapeRow& shape, NodeIndex node,
                       const Room& room) const;
    Picked choose_by_weight(const ShapeRow& shape, const std::vector<Offer>& offers) const;
    bool has_memory(const ShapeRow& shape, std::int32_t cpus, const Room& room) const;
    // Takes nodes leaf by leaf; if that fails, without those that offer least.
    Picked choose(const ShapeRow& shape, std::vector<Offer> group) const;
    Picked leaf_by_leaf(const ShapeRow& shape, const std::vector<Offer>& offers) const;

    const Site& site_;
    Rooms all_free_;
    std::vector<Nodes> capable_;         // by shape
    std::vector<std::int32_t> weights_;  // all that differ, in order
};

}  // namespace schedlab::slurm
