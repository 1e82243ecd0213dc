#pragma once

#include <cstddef>
#include <vector>

namespace schedlab::coalloc {

using Graph = std::vector<std::vector<std::size_t>>;  // of each node its neighbours

// The order in which nodes are eliminated. The next node is the one that joins the fewest pairs of
// others; of these, the one with the fewest neighbours, then the one with the lowest rank.
std::vector<std::size_t> min_fill(const Graph& neighbours, const std::vector<std::size_t>& ranks);

}  // namespace schedlab::coalloc
