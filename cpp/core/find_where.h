#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace schedlab {

// Four numbers that are compared at once; every processor we build for has such instructions.
using Lanes = std::int32_t __attribute__((vector_size(16)));
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(std::int32_t);

// By lane: a bit that says whether the test held there.
inline unsigned bits_of(Lanes held) {
#ifdef __SSE__
    using Floats = float __attribute__((vector_size(16)));
    return static_cast<unsigned>(__builtin_ia32_movmskps(reinterpret_cast<Floats>(held)));
#else
    unsigned bits = 0;
    for (std::size_t i = 0; i < kLanes; ++i) bits |= static_cast<unsigned>(held[i] & 1) << i;
    return bits;
#endif
}

// Return the first index in [from, until) where the test holds; `until` if there is none.
// The test gets a function that reads a column at the index: `test(read)` with `read(column)`,
// and combines comparisons with & and |, so that it works on single numbers and on lanes.
template <typename Test>
std::size_t find_where(std::size_t from, std::size_t until, Test test) {
    const auto held = [&test](std::size_t at) {
        return test([at](const std::int32_t* column) {
            Lanes values;
            std::memcpy(&values, column + at, sizeof values);
            return values;
        });
    };
    // Most searches end soon or go far: test one vector at a time at first, then four at once.
    constexpr std::size_t kStretch = 4 * kLanes;
    for (std::size_t soon = 0; soon < 2 && from + kLanes <= until; ++soon, from += kLanes) {
        if (const unsigned bits = bits_of(held(from))) return from + std::countr_zero(bits);
    }
    for (; from + kStretch <= until; from += kStretch) {
        const Lanes any = held(from) | held(from + kLanes) | held(from + 2 * kLanes) |
                          held(from + 3 * kLanes);
        if (bits_of(any)) break;
    }
    for (; from + kLanes <= until; from += kLanes) {
        if (const unsigned bits = bits_of(held(from))) return from + std::countr_zero(bits);
    }
    const auto here = [&from](const std::int32_t* column) { return column[from]; };
    while (from < until && !test(here)) ++from;
    return from;
}

}  // namespace schedlab
