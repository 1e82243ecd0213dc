#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace schedlab::coalloc {

using Slot = std::int32_t;

constexpr Slot left_out = 0;  // the value of a job that is not scheduled; slots count from 1

// A job as a variable of the constraint network.
struct Variable {
    std::span<const Slot> starts;  // its domain in rising order, left_out first if allowed
    Slot slots;                    // how many it takes
};

// The values of a variable that are free beside one value of a job with which it shares a resource:
// the places [0, below) and [above, end). The forbidden values between them are one interval.
struct Free {
    std::size_t below;
    std::size_t above;
};

// One entry for each value of `other`.
std::vector<Free> free_beside(const Variable& own, const Variable& other);

}  // namespace schedlab::coalloc
