#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

namespace schedlab {

using Time = std::int64_t;         // seconds
using NodeCount = std::int32_t;    // whole nodes
using NodeIndex = std::int32_t;    // a node's number, from 0
using JobIndex = std::int32_t;     // a job's place in the workload, in order of submission

inline constexpr Time kNever = std::numeric_limits<Time>::max();
inline constexpr Time kNone = -1;
inline constexpr JobIndex kNoJob = -1;
inline constexpr std::int32_t kNoGuest = -1;  // a job that no interval of the calendar bars

// A policy broke a rule of the simulator; the message is a sentence for the policy's author.
struct PolicyError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Return the place of the job among `jobs`, which rise; kNoJob if it is not there.
inline JobIndex place_among(std::span<const JobIndex> jobs, JobIndex job) {
    const auto at = std::lower_bound(jobs.begin(), jobs.end(), job);
    return at == jobs.end() || *at != job ? kNoJob : static_cast<JobIndex>(at - jobs.begin());
}

}  // namespace schedlab
