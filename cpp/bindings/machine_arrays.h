#pragma once

#include <tuple>

#include "bindings/arrays.h"
#include "core/machine.h"

namespace schedlab {

// How Python describes machines.
NodeSet node_set(NodeCount total, const Column<NodeIndex>& nodes);
// How many GPUs, how much of each, and the first and last that may be taken, the last excluded.
using PlainGpus = std::tuple<std::int32_t, Amount, std::int32_t, std::int32_t>;
Share share_of(const Column<Amount>& amounts, bool exclusive, const PlainGpus& gpus);

}  // namespace schedlab
