#pragma once

#include <array>
#include <cstddef>

#include "core/types.h"

namespace schedlab {

inline constexpr std::size_t kCorrections = 11;

// How much longer a job is expected to run each time it outlives its prediction: first a little,
// then more and more (Tsafrir, Etsion & Feitelson 2007). The last step is repeated.
inline Time correction(std::size_t times_before) {
    constexpr Time kMinute = 60, kHour = 3600;
    constexpr std::array<Time, kCorrections> kSteps = {
        kMinute,   5 * kMinute, 15 * kMinute, 30 * kMinute, kHour,      2 * kHour,
        5 * kHour, 10 * kHour,  20 * kHour,   50 * kHour,   100 * kHour};
    return kSteps[times_before < kCorrections ? times_before : kCorrections - 1];
}

}  // namespace schedlab
