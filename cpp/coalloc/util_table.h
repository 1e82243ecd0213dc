#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "coalloc/variable.h"

namespace schedlab::coalloc {

// How utilities of parts make the utility of the whole; infeasible is minus infinity in both.
enum class Combine {
    sum,    // max-plus: total value, sum of starts
    worst,  // max-min: makespan, with utilities minus the last slot
};

struct Separator {
    Variable variable;
    bool linked;  // shares a resource with the node itself, not only with its descendants
};

// The UTIL message of a child: its last axis is the node, the others are separators of the node.
template <typename Cell>
struct ChildTable {
    const Cell* cells;
    std::vector<std::size_t> axes;  // places in the node's separators, rising, without the last axis
};

// Everything a node of the pseudo tree needs to know for its UTIL message.
template <typename Cell>
struct UtilInput {
    Variable own;
    std::span<const Cell> utility;  // of each of its own values
    std::vector<Separator> separators;
    std::vector<ChildTable<Cell>> children;
};

// Writes the UTIL message, one cell for each combination of the separators' values, the last
// separator varying fastest: the best utility of the node's subtree over its own values.
template <typename Cell>
void util_table(const UtilInput<Cell>& input, Combine combine, std::size_t threads, Cell* out);

}  // namespace schedlab::coalloc
