#pragma once

#include <cstdint>

namespace schedlab {

// The function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
inline std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

}  // namespace schedlab
