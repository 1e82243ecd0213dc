#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/node_bits.h"
#include "core/types.h"

namespace schedlab {

// Which resources are reserved in the time units ahead: a row per unit, the first is now.
class GanttChart {
  public:
    GanttChart(NodeCount resources, Time window);

    void clear();
    // The first row from which this many resources are free for this long; kNone without one.
    Time earliest_start(NodeCount resources, Time duration) const;
    // Reserves the lowest-numbered of them and appends their ranges.
    void reserve(Time start, NodeCount resources, Time duration, float colour,
                 std::vector<NodeRange>& ranges);
    // Lets a time unit go by.
    void advance();

    NodeCount free(Time row) const { return count_free(row, 1); }
    // The colours of the jobs that have the resources then; 0 where there is none.
    std::span<const float> row(Time row) const;

  private:
    std::uint64_t free_throughout(Time start, Time duration, std::size_t word) const;
    NodeCount count_free(Time start, Time duration) const;
    void paint(Time start, Time duration, float colour, std::span<const NodeRange> ranges);

    NodeCount resources_;
    Time window_;
    std::size_t words_;
    std::vector<std::uint64_t> free_row_;  // a bit for each resource
    std::vector<std::uint64_t> free_;      // the same row by row, 0 where one is reserved
    std::vector<float> cells_;
};

}  // namespace schedlab
