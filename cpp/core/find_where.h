#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace schedlab {

// Four numbers that are compared at once; every processor we build for has such instructions.
using Lanes = std::int32_t __attribute__((vector_size(16)));

// Return the first index in [from, until) where the test holds; `until` if there is none.
// The test gets a function that reads a column at the index: `test(read)` with `read(column)`,
// and combines comparisons with & and |, so that it works on single numbers and on lanes.
template <typename Test>
std::size_t find_where(std::size_t from, std::size_t until, Test test) {
    constexpr std::size_t kStretch = 16;
    for (; from + kStretch <= until; from += kStretch) {
        Lanes any{};
        for (std::size_t i = from; i < from + kStretch; i += sizeof(Lanes) / sizeof(std::int32_t)) {
            any |= test([i](const std::int32_t* column) {
                Lanes values;
                std::memcpy(&values, column + i, sizeof values);
                return values;
            });
        }
        if (any[0] | any[1] | any[2] | any[3]) break;
    }
    const auto here = [&from](const std::int32_t* column) { return column[from]; };
    while (from < until && !test(here)) ++from;
    return from;
}

}  // namespace schedlab
