#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "coalloc/util_table.h"

namespace schedlab::coalloc {

template <typename Cell>
constexpr Cell infeasible = -std::numeric_limits<Cell>::infinity();

// The loop over the values of one separator.
template <typename Cell>
struct Level {
    struct Step {
        std::size_t child;
        std::size_t stride;  // in the child's table
        bool last;           // no separator of the child is further inside: its row is complete
    };

    std::size_t values;
    std::size_t stride;         // in the message
    std::vector<Free> free;     // empty: not linked
    std::vector<Cell> barrier;  // values x own values: neutral where free, else infeasible
    std::vector<Step> steps;    // the children that know it
};

// The loops from the outermost to the innermost: separators that no child knows are the innermost.
template <typename Cell>
std::vector<Level<Cell>> levels_of(const UtilInput<Cell>& input, Cell neutral);

}  // namespace schedlab::coalloc
