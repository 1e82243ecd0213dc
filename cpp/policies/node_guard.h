#pragma once

#include <vector>

#include "core/view.h"

namespace schedlab {

// When each node will have room for a head, kept while the job is a head: most nodes stay as they
// are from one pass to the next.
class HeadRooms {
  public:
    explicit HeadRooms(JobIndex head) : head_(head) {}
    JobIndex head() const { return head_; }

    // Looks again at nodes that have changed.
    void update(const View& view);
    // When the head will fit, if every job leaves as expected.
    Time shadow(const View& view) const;
    // The nodes that can hold this part of the head then.
    NodeSet usable(const View& view, std::size_t part, Time shadow) const;

  private:
    JobIndex head_;
    std::vector<std::int64_t> seen_;          // by node: its changes when it was looked at
    std::vector<std::vector<Time>> release_;  // by part, then by node: see NodeStates::release_for
    mutable std::vector<Time> times_;
};

// EASY's rule for one head where jobs share nodes, or may use only some of them: a job that runs
// beyond the head's shadow time must leave the head enough of the nodes that it could use then.
class NodeGuard {
  public:
    // Promises the head the earliest time at which it will fit.
    NodeGuard(View& view, const HeadRooms& rooms);
    // Whether both keep the same nodes for the same head.
    bool guards_the_same(const NodeGuard& other) const {
        return head_ == other.head_ && shadow_ == other.shadow_ && spare_ == other.spare_ &&
               usable_ == other.usable_;
    }

    JobIndex head() const { return head_; }
    // Whether the job and the head may use the same node.
    bool competes_with(const View& view, JobIndex job) const;
    // Whether the job would run beyond the shadow time.
    bool is_late(const View& view, JobIndex job) const {
        return view.now() + view.estimate(job) > shadow_;
    }

    // A node that the head loses, and the part of the head that loses it.
    struct Loss {
        std::size_t part;
        NodeIndex node;
    };
    static constexpr std::size_t kNoPart = static_cast<std::size_t>(-1);

    // The part of the head that loses the node if a late job takes this share of it.
    std::size_t spoilt(const View& view, NodeIndex node, const Share& taken, GpuMask gpus) const;
    NodeCount spare(std::size_t part) const { return spare_[part]; }
    void lose(Loss loss);
    // Counts the share that a late job is about to take of a node that the head does not lose.
    void share(const View& view, NodeIndex node, const Share& taken, GpuMask gpus);

  private:
    void guard_as(const View& view, const HeadRooms& rooms);
    // The same where the machine is going to change.
    void guard_as(const View& view, const NodePlan& plan);
    // What the node has at the shadow time beyond the head's share, by resource.
    Amount* left_over(const View& view, NodeIndex node, const Share& own) const;

    JobIndex head_;
    Time shadow_;
    std::vector<NodeSet> usable_;  // by part: the nodes that can hold it at the shadow time
    std::vector<NodeCount> spare_;
    // Found when first asked for: by node, then by resource.
    mutable std::vector<Amount> left_over_;
    mutable NodeSet is_found_;
};

}  // namespace schedlab
