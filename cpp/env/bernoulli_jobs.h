#pragma once

#include <cstdint>
#include <vector>

#include "env/gantt_job.h"

namespace schedlab {

// Whole numbers from low to high.
struct WholeRange {
    std::int64_t low;
    std::int64_t high;
};

// Uniform in one of two ranges, in the first with probability `share`.
struct TwoRanges {
    double share;
    WholeRange first;
    WholeRange second;
};

// The workload of the small grid; schedlab.workload.generators.Bernoulli has the same law.
struct BernoulliLaw {
    double arrivals_per_unit;
    Time units;
    TwoRanges run;
    TwoRanges resources;
};

// The jobs that arrive within the time units; drawn again until there is at least one.
std::vector<GanttJob> draw_jobs(const BernoulliLaw& law, std::uint64_t seed);

}  // namespace schedlab
