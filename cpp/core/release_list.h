#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/types.h"

namespace schedlab {

// When enough nodes will be free, and the number of extra nodes then.
struct Shadow {
    Time time;
    NodeCount extra;
};

// Nodes that running jobs are expected to release, by time.
// Sorted blocks with their sums: finding when k nodes will be free skips whole blocks.
class ReleaseList {
  public:
    ReleaseList();

    void add(Time time, NodeCount nodes);
    void remove(Time time, NodeCount nodes);

    // The earliest time at which `needed` nodes are free; `free` nodes are free already.
    // A release that should have happened before `soonest` is expected at `soonest`.
    Shadow shadow(NodeCount needed, NodeCount free, Time soonest) const;

    // The first expected release, kNever if nothing runs.
    Time first() const { return blocks_.front().size ? blocks_.front().time[0] : kNever; }

    template <typename Visit>
    void for_each(Visit visit) const {
        for (const Block& block : blocks_) {
            for (std::size_t i = 0; i < block.size; ++i) visit(block.time[i], block.nodes[i]);
        }
    }

  private:
    static constexpr std::size_t kBlock = 64;
    struct Block {
        std::array<Time, kBlock> time;
        std::array<NodeCount, kBlock> nodes;
        std::size_t size = 0;
        std::int64_t sum = 0;
    };
    // The block and the place in it where `time` is or belongs.
    struct Place {
        std::size_t block;
        std::size_t index;
    };
    Place find(Time time) const;
    void split(std::size_t block);

    std::vector<Block> blocks_;  // never empty; only a single block may have no entries
};

}  // namespace schedlab
