#pragma once

#include <span>
#include <vector>

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
    // Whether the job of this end holds one of the nodes.
    bool frees(std::size_t end, const Nodes& nodes) const {
        for (std::size_t i = 0; i < words_; ++i) {
            if (bits_[end * words_ + i] & nodes.word(i)) return true;
        }
        return false;
    }
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
    struct Step {
        std::size_t ends;
        Room room;
    };

    std::vector<End> ends_;
    std::size_t words_ = 0;
    std::vector<std::uint64_t> bits_;  // by end: its nodes
    std::vector<Step> steps_;          // by node
    std::vector<std::size_t> first_;   // by node: its first step; at the end, how many there are
    std::vector<std::size_t> last_;    // by node, while they are made
};

// The nodes that could be of use to jobs of one shape, and after how many ends each is.
class Outlook {
  public:
    Outlook(const Selector& selector, const ShapeRow& shape, const RoomsToCome& rooms);

    struct Useful {
        std::size_t ends;
        NodeIndex node;
    };
    const std::vector<Useful>& useful() const { return useful_; }  // the first first
    // How many of the nodes are of use after this number of ends.
    NodeCount count(const Nodes& allowed, std::size_t ends) const;

  private:
    std::vector<Useful> useful_;
};

}  // namespace schedlab::slurm
