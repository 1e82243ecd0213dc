#pragma once

#include <cstddef>

#include "core/types.h"

namespace schedlab {

// What the agent decides.
enum class Mode {
    pick,   // which job starts, or to wait (Takizawa, Nomura & Matsuba)
    order,  // which job is next; the first that does not fit is the head, EASY fills in behind it
    guard,  // the same, and which jobs are backfilled among those that do not delay the head
};

// What the agent sees.
enum class Observation {
    baseline,  // each node's remaining time by request; the jobs' nodes and requests
    proposal,  // also the nodes' remaining times and the jobs' run times by estimate
    jobs,      // features of each job and of the machine, the same for machines of any size
};

enum class Reward {
    terminal,     // at the end: share of jobs started + utilisation + share of steps left
    slowdown,     // minus the growth of the sum of bounded slowdowns, while jobs wait
    utilisation,  // minus the growth of a lower bound of the makespan
};

struct EnvOptions {
    NodeCount nodes = 256;
    std::size_t visible = 100;  // how many waiting jobs the agent sees
    Time tick = 60;             // events are seen at multiples of it
    Mode mode = Mode::pick;
    Observation observation = Observation::proposal;
    Reward reward = Reward::terminal;
    int max_failures = 4;  // picks that change nothing, in a row, before time goes on
    bool doubling = true;  // intervals without an event double, up to a day
    std::int64_t max_steps = 10'000;
    // What counts as 1 in observations: a number of seconds, and of nodes.
    double time_scale = 1;
    double node_scale = 1;
    double largest = 1;  // numbers beyond it are cut
    // Weights of the terms of the terminal reward.
    double started_weight = 1;
    double utilisation_weight = 1;
    double steps_left_weight = 1;
};

}  // namespace schedlab
