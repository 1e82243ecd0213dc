#pragma once

#include <compare>
#include <optional>
#include <span>
#include <vector>

#include "slurm/backfill_plan.h"
#include "slurm/selector.h"

namespace schedlab::slurm {

// What is free on each node as running jobs reach their limits.
class RoomsToCome {
  public:
    // When a running job reaches its limit, and when it counts as ended.
    struct End {
        Second limit, counts;
        const TwinJob* job;
    };

    // Starts with what is free now, and the jobs that run.
    void set(const Site& site, const Rooms& now, std::span<TwinJob* const> running, Second time);

    // In order of their limits.
    const std::vector<End>& ends() const { return ends_; }
    // The number of ends up to this time.
    std::size_t ends_by(Second time) const;
    // The place of a job's end.
    std::size_t end_of(const TwinJob& job) const;
    // The first end, from this one on, whose job holds one of the nodes; the number of ends if
    // there is none.
    std::size_t next_freeing(std::size_t from, const Nodes& nodes) const;
    // The last such end; there must be one.
    std::size_t last_freeing(const Nodes& nodes) const;
    // The room of the node after this number of ends.
    const Room& after(std::size_t ends, NodeIndex node) const;
    // Calls visit(ends, room) for each change of the node, from no ends on, until it returns true.
    template <typename Visit>
    void for_each(NodeIndex node, Visit visit) const {
        for (std::size_t at = first_[node]; at < first_[node + 1]; ++at) {
            if (visit(steps_[at].ends, steps_[at].room)) return;
        }
    }

  private:
    // Whether the job of this end holds one of the nodes.
    bool frees(std::size_t end, const Nodes& nodes) const {
        if (only_[end] != kNobody) return nodes.has(only_[end]);
        for (std::size_t i = 0; i < words_; ++i) {
            if (bits_[end * words_ + i] & nodes.word(i)) return true;
        }
        return false;
    }

    struct Step {
        std::size_t ends;
        Room room;
    };

    std::vector<End> ends_;
    std::size_t words_ = 0;
    std::vector<std::uint64_t> bits_;  // by end: its nodes
    std::vector<NodeIndex> only_;      // by end: its node, if it has only one; kNobody otherwise
    std::vector<Step> steps_;          // by node
    std::vector<std::size_t> first_;   // by node: its first step; then the number of steps
    std::vector<std::size_t> last_;    // by node, while the steps are made
};

// Nodes that become available one after another as running jobs end.
class NodesToCome {
  public:
    explicit NodesToCome(NodeCount nodes) : words_(words_for(nodes)) {}

    void add(std::size_t ends, NodeIndex node);
    // Makes room for another end at this place, and drops what was known of these nodes.
    void forget(std::size_t end, const Nodes& nodes);
    // Call it when all nodes are added, before any question.
    void set();
    // The nodes that are available after this number of ends, as bits.
    const std::uint64_t* after(std::size_t ends) const;
    // After how many ends this number of the nodes are available; nothing if they never are.
    std::optional<std::size_t> ends_for(NodeCount needed, const Nodes& allowed) const;

  private:
    // One number to sort by: after how many ends the node is available, then which node it is.
    using NodeAfter = std::uint64_t;
    static std::size_t ends_of(NodeAfter each) { return each >> 32; }
    static NodeIndex node_of(NodeAfter each) { return static_cast<NodeIndex>(each & 0xffffffff); }

    std::size_t words_;
    bool is_set_ = false;
    std::vector<NodeAfter> nodes_;     // in order, once they are set
    std::size_t sorted_ = 0;           // how many of them are in order
    std::vector<std::uint64_t> bits_;  // by place: the nodes before it
};

// The nodes that could be of use to jobs of one shape, and after how many ends each is.
class Outlook {
  public:
    Outlook(const Selector& selector, const ShapeRow& shape, const RoomsToCome& rooms);

    // Takes in that a job has started on these nodes; its end has this place.
    void started(const Selector& selector, const RoomsToCome& rooms, std::size_t end,
                 const Nodes& nodes);
    // Call it before any question.
    void set();
    const NodesToCome& useful() const { return useful_; }
    // The number of useful nodes that the window shows after this number of ends.
    NodeCount count(const BackfillPlan::Window& window, std::size_t ends) const;
    // Keeps those of the nodes that have any room for the job after this number of ends.
    void keep_offering(Nodes& nodes, std::size_t ends) const;

  private:
    void look_at(const Selector& selector, const RoomsToCome& rooms, NodeIndex node);

    const ShapeRow& shape_;
    bool wants_all_of_one_;
    NodesToCome useful_;
    NodesToCome offering_;  // where more nodes have room than are of use
};

}  // namespace schedlab::slurm
