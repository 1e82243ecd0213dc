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
    // A running job reaches its limit, and when it counts as ended.
    struct End {
        Second limit, counts;
        const TwinJob* job;
    };

    // What is free now, and these jobs run.
    void set(const Site& site, const Rooms& now, std::span<TwinJob* const> running, Second time);

    // The first first.
    const std::vector<End>& ends() const { return ends_; }
    // How many come up to this time.
    std::size_t ends_by(Second time) const;
    // The first from this one on whose job holds one of the nodes; as many as there are for none.
    std::size_t next_freeing(std::size_t from, const Nodes& nodes) const;
    // The last such one. Needs one.
    std::size_t last_freeing(const Nodes& nodes) const;
    // The room of the node after this number of ends.
    const Room& after(std::size_t ends, NodeIndex node) const;
    // Calls visit(ends, room) for each change of the node, from no ends on, until it says true.
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
    std::vector<NodeIndex> only_;      // by end: its node, if it has but one; kNobody otherwise
    std::vector<Step> steps_;          // by node
    std::vector<std::size_t> first_;   // by node: its first step; at the end, how many there are
    std::vector<std::size_t> last_;    // by node, while they are made
};

// A node, and after how many ends it is something.
struct NodeAfter {
    std::uint32_t ends;
    NodeIndex node;

    auto operator<=>(const NodeAfter&) const = default;
};

// The nodes that could be of use to jobs of one shape, and after how many ends each is.
class Outlook {
  public:
    Outlook(const Selector& selector, const ShapeRow& shape, const RoomsToCome& rooms);

    const std::vector<NodeAfter>& useful() const { return useful_; }  // the first first
    // After how many ends this number of the nodes are of use; nothing if they never are.
    std::optional<std::size_t> ends_for(NodeCount needed, const Nodes& allowed) const;
    // Keeps those of the nodes that have any room for the job after this number of ends.
    void keep_offering(Nodes& nodes, std::size_t ends) const;

  private:
    std::vector<NodeAfter> useful_;
    std::vector<NodeAfter> offering_;  // where more nodes have room than are of use
    mutable std::vector<std::uint64_t> bits_;
};

// How many nodes of use to a job the window shows, as time goes on.
class Prospects {
  public:
    explicit Prospects(NodeCount nodes) : bits_(words_for(nodes)) {}

    void begin(const Outlook& outlook);
    // Of use up to this time, which does not go back; without one, ever.
    NodeCount count(const RoomsToCome& rooms, const BackfillPlan::Window& window,
                    std::optional<Second> until);

  private:
    const std::vector<NodeAfter>* useful_ = nullptr;
    std::size_t next_ = 0;
    std::vector<std::uint64_t> bits_;  // nodes of use by now
};

}  // namespace schedlab::slurm
