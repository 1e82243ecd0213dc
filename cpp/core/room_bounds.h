#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/machine.h"

namespace schedlab {

// Times before which nodes surely have no room, so that a search of a plan can skip them.
//
// For each node, it keeps when 1, 2, 4, ... of a resource are first free, however briefly.
class RoomBounds {
  public:
    // The bounds for one share: a row of times by node for each resource that it wants.
    class Rows {
      public:
        // Whether the node surely has no room up to this time.
        bool exclude(NodeIndex node, Time until) const {
            for (std::size_t i = 0; i < count_; ++i) {
                if (times_[i][node] > until) return true;
            }
            return false;
        }

      private:
        friend class RoomBounds;
        static constexpr std::size_t kMost = 4;  // of more resources only the first are used
        std::array<const Time*, kMost> times_;
        std::size_t count_ = 0;
    };

    // If the nodes differ from before, all of them must be updated next.
    void prepare(const Machine& machine);
    // The node has `free` (by step, then by resource) from these times on.
    void update(NodeIndex node, std::span<const Time> time, std::span<const Amount> free);
    void copy(NodeIndex node, const RoomBounds& other);
    // The rows are valid until the next `prepare`.
    Rows of(const Share& share) const;

  private:
    static constexpr std::size_t kLevels = 8;

    Time& at(std::size_t row, NodeIndex node) { return times_[row * nodes_ + node]; }
    const Time* row(std::size_t row) const { return times_.data() + row * nodes_; }
    Amount threshold(std::size_t resource, std::size_t level) const {
        return Amount{1} << (lowest_[resource] + level);
    }

    std::size_t nodes_ = 0;
    std::size_t resources_ = 0;  // of the machine
    std::vector<std::size_t> lowest_;  // by resource in use: the power of two of its first level
    std::vector<Amount> capacity_;     // of the first resource, by node
    // One row for each resource and level, and one for idle nodes.
    std::vector<Time> times_;
};

}  // namespace schedlab
