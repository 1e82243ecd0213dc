#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "coalloc/util_table.h"

namespace schedlab::coalloc {

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
    std::vector<Cell> barrier;  // values x own values: neutral where free, else infeasible
    std::vector<Step> steps;    // the children that know it
};

// A separator that no child knows: which own values are free beside each of its values.
struct Swept {
    std::size_t stride;  // in the message
    std::vector<Free> free;
};

// The innermost separator, its values side by side for vector instructions: tables of one row for
// each own value, in which overlapping values are barred.
template <typename Cell>
struct SideBySide {
    struct Table {
        std::size_t child;  // whose message it is; the number of children if of none
        std::vector<Cell> cells;
    };

    std::size_t values;
    std::size_t stride;  // in the message
    std::size_t row;     // cells of a row: the values, rounded up to whole vectors
    std::vector<Table> tables;
};

// The loops from the outermost to the innermost. Separators that no child knows are further
// inside. Without a separator whose values are side by side, the last level's is the innermost.
template <typename Cell>
struct Loops {
    std::vector<Level<Cell>> levels;
    std::optional<Swept> swept;
    std::optional<SideBySide<Cell>> inner;
};

template <typename Cell>
Loops<Cell> loops_of(const UtilInput<Cell>& input, Cell neutral);

}  // namespace schedlab::coalloc
