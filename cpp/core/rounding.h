#pragma once

#include <cmath>

namespace schedlab {

// The last digits of what follows from logarithms and long sums depend on compiler, processor and
// order of addition. Where such numbers are compared they are rounded before, so that two which are
// equal are equal everywhere, in the plain reference too.

// Round the key of a job to billionths.
inline double rounded_key(double key) { return std::nearbyint(key * 1e9) / 1e9; }

// Round a sum to 24 binary digits, some seven decimal ones. Some millions of such sums, of which none
// is a million times another, are added without any loss.
inline double rounded_sum(double sum) { return static_cast<double>(static_cast<float>(sum)); }

}  // namespace schedlab
