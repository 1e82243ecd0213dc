#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace schedlab {

using Time = std::int64_t;         // seconds
using NodeCount = std::int32_t;    // whole nodes
using NodeIndex = std::int32_t;    // a node's number, from 0
using JobIndex = std::int32_t;     // a job's place in the workload, in order of submission

inline constexpr Time kNever = std::numeric_limits<Time>::max();
inline constexpr Time kNone = -1;
inline constexpr JobIndex kNoJob = -1;
inline constexpr std::int32_t kNoGuest = -1;  // whom no interval of the calendar bars

// A policy broke a rule of the simulator; the text is a sentence for its author.
struct PolicyError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace schedlab
