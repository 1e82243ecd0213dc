#pragma once

#include <cmath>

namespace schedlab {

// The last digits of logarithms and long sums depend on the compiler, the processor and the order
// of addition. Such numbers are rounded before they are compared, so that two equal numbers are
// equal everywhere, in the plain reference, too.

// Round the key of a job to billionths.
inline double rounded_key(double key) { return std::nearbyint(key * 1e9) / 1e9; }

// Round a sum to 24 binary digits, about seven decimal ones. Some millions of such sums can be
// added without loss if none is a million times another.
inline double rounded_sum(double sum) { return static_cast<double>(static_cast<float>(sum)); }

}  // namespace schedlab
