#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace schedlab {

// What the agent sees.
enum class GanttObservation {
    image,   // the Gantt chart, the waiting jobs as rectangles, the backlog and the time
    vector,  // a few numbers per row ahead and per waiting job
};

// The quantity whose fall is the reward.
enum class GanttReward {
    mean,   // the mean slowdown of the jobs submitted so far
    total,  // the sum of their slowdowns
};

struct GanttOptions {
    NodeCount resources = 10;
    std::size_t slots = 10;  // waiting jobs that the agent sees
    Time window = 20;        // time units ahead in which resources can be reserved
    std::size_t backlog_columns = 3;
    std::size_t colours = 39;  // of jobs in the chart; 0: each occupied cell is 1
    Time arrival_memory = 10;  // a longer time since the last arrival looks the same
    std::int64_t max_steps = 10'000;
    GanttObservation observation = GanttObservation::image;
    GanttReward reward = GanttReward::mean;
};

}  // namespace schedlab
