#include "coalloc/levels.h"

#include <algorithm>
#include <numeric>

namespace schedlab::coalloc {
namespace {

template <typename Cell>
std::vector<std::size_t> loop_order(const UtilInput<Cell>& input) {
    std::vector<bool> known(input.separators.size());  // to a child
    for (const auto& child : input.children) {
        for (const std::size_t axis : child.axes) known[axis] = true;
    }
    std::vector<std::size_t> order(known.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_partition(order.begin(), order.end(), [&](auto axis) { return known[axis]; });
    return order;
}

template <typename Cell>
std::vector<Cell> barrier(const std::vector<Free>& free, std::size_t own, Cell neutral) {
    std::vector<Cell> table(free.size() * own, neutral);
    for (std::size_t value = 0; value < free.size(); ++value) {
        Cell* row = table.data() + value * own;
        std::fill(row + free[value].below, row + free[value].above, infeasible<Cell>);
    }
    return table;
}

template <typename Cell>
void add_step(Level<Cell>& level, const UtilInput<Cell>& input, std::size_t child,
              std::size_t axis) {
    const std::vector<std::size_t>& axes = input.children[child].axes;
    const auto found = std::find(axes.begin(), axes.end(), axis);
    if (found == axes.end()) return;
    std::size_t stride = input.own.starts.size();
    for (auto inner = found + 1; inner != axes.end(); ++inner) {
        stride *= input.separators[*inner].variable.starts.size();
    }
    level.steps.push_back({child, stride, found + 1 == axes.end()});
}

template <typename Cell>
Level<Cell> level_of(const UtilInput<Cell>& input, std::size_t axis, Cell neutral) {
    const Separator& separator = input.separators[axis];
    Level<Cell> level{separator.variable.starts.size(), 1, {}, {}, {}};
    for (std::size_t inner = axis + 1; inner < input.separators.size(); ++inner) {
        level.stride *= input.separators[inner].variable.starts.size();
    }
    if (separator.linked) {
        level.free = free_beside(input.own, separator.variable);
        level.barrier = barrier(level.free, input.own.starts.size(), neutral);
    }
    for (std::size_t i = 0; i < input.children.size(); ++i) add_step(level, input, i, axis);
    return level;
}

}  // namespace

template <typename Cell>
std::vector<Level<Cell>> levels_of(const UtilInput<Cell>& input, Cell neutral) {
    std::vector<Level<Cell>> levels;
    for (const std::size_t axis : loop_order(input)) {
        levels.push_back(level_of(input, axis, neutral));
    }
    return levels;
}

template std::vector<Level<float>> levels_of(const UtilInput<float>&, float);
template std::vector<Level<double>> levels_of(const UtilInput<double>&, double);

}  // namespace schedlab::coalloc
