#include "coalloc/loops.h"

#include <algorithm>
#include <numeric>

#include "coalloc/rows.h"

namespace schedlab::coalloc {
namespace {

using Axes = std::vector<std::size_t>;  // places in the node's separators

template <typename Cell>
class Planner {
  public:
    Planner(const UtilInput<Cell>& input, Cell neutral) : input_(input), neutral_(neutral) {
        for (std::size_t axis = 0; axis < input.separators.size(); ++axis) {
            costs_.push_back(cost(axis));
        }
    }

    Loops<Cell> loops() const {
        Loops<Cell> loops;
        Axes order = known_first();
        const std::optional<std::size_t> inner = inner_axis(order);
        if (inner) {
            std::erase(order, *inner);
            loops.inner = side_by_side(*inner);
            if (!order.empty() && costs_[order.back()] == 0) {
                loops.swept = Swept{stride(order.back()), free_of(order.back())};
                order.pop_back();
            }
        }
        for (const std::size_t axis : order) loops.levels.push_back(level(axis, inner));
        return loops;
    }

  private:
    using Child = ChildTable<Cell>;

    std::size_t own() const { return input_.own.starts.size(); }
    std::size_t values(std::size_t axis) const {
        return input_.separators[axis].variable.starts.size();
    }
    std::size_t row(std::size_t axis) const {
        const std::size_t lanes = Lanes<Cell>::count;
        return (values(axis) + lanes - 1) / lanes * lanes;
    }
    std::vector<Free> free_of(std::size_t axis) const {
        const auto& [variable, linked] = input_.separators[axis];
        return linked ? free_beside(input_.own, variable) : std::vector<Free>(values(axis));
    }

    static bool knows(const Child& child, std::size_t axis) {
        return std::find(child.axes.begin(), child.axes.end(), axis) != child.axes.end();
    }

    std::size_t cells(const Child& child) const {
        std::size_t product = own();
        for (const std::size_t axis : child.axes) product *= values(axis);
        return product;
    }

    std::size_t stride(std::size_t axis) const {
        std::size_t product = 1;
        while (++axis < input_.separators.size()) product *= values(axis);
        return product;
    }

    // How many cells to copy to put a separator's values side by side; 0 if no child knows it.
    std::size_t cost(std::size_t axis) const {
        std::size_t sum = 0;
        for (const Child& child : input_.children) {
            if (knows(child, axis)) sum += cells(child);
        }
        return sum;
    }

    // Separators known to children in their order, so that tables are read in memory order; then
    // those known to none.
    Axes known_first() const {
        Axes order(input_.separators.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_partition(order.begin(), order.end(),
                              [&](auto axis) { return costs_[axis] > 0; });
        return order;
    }

    // The separator whose values are put side by side, if that is worth it: the cheapest, of equals
    // the last, which varies fastest in the message. One known to no child is kept for sweeping.
    std::optional<std::size_t> inner_axis(const Axes& order) const {
        if (order.empty()) return std::nullopt;
        const std::size_t message = stride(0) * values(0);
        const bool spare = std::count(costs_.begin(), costs_.end(), 0) == 1;
        std::optional<std::size_t> inner;
        for (const std::size_t axis : order) {
            if (costs_[axis] > message || (spare && costs_[axis] == 0)) continue;
            if (!inner || costs_[axis] <= costs_[*inner]) inner = axis;
        }
        if (!inner && spare) return order.back();
        return inner;
    }

    Level<Cell> level(std::size_t axis, std::optional<std::size_t> inner) const {
        Level<Cell> level{values(axis), stride(axis), {}, {}};
        for (const Free& free : free_of(axis)) {
            const auto row = level.barrier.insert(level.barrier.end(), own(), neutral_);
            std::fill(row + free.below, row + free.above, infeasible<Cell>);
        }
        for (std::size_t i = 0; i < input_.children.size(); ++i) {
            const Child& child = input_.children[i];
            if (!knows(child, axis)) continue;
            const bool last = child.axes.back() == axis && !(inner && knows(child, *inner));
            level.steps.push_back({i, child_stride(child, axis, inner), last});
        }
        return level;
    }

    // The stride in the child's table, or in its copy where the inner separator is side by side.
    std::size_t child_stride(const Child& child, std::size_t axis,
                             std::optional<std::size_t> inner) const {
        std::size_t stride = own();
        for (const std::size_t other : child.axes) {
            if (other > axis) stride *= values(other);
        }
        if (!inner || !knows(child, *inner)) return stride;
        return (*inner > axis ? stride / values(*inner) : stride) * row(*inner);
    }

    SideBySide<Cell> side_by_side(std::size_t axis) const {
        SideBySide<Cell> inner{values(axis), stride(axis), row(axis), {}};
        for (std::size_t i = 0; i < input_.children.size(); ++i) {
            const Child& child = input_.children[i];
            if (knows(child, axis)) inner.tables.push_back({i, turned(child, axis)});
        }
        if (inner.tables.empty()) {
            const std::size_t none = input_.children.size();
            inner.tables.push_back({none, std::vector<Cell>(own() * inner.row, neutral_)});
        }
        bar(inner.tables[0].cells, axis);
        return inner;
    }

    // The child's table with that axis moved to the end, behind the node itself.
    std::vector<Cell> turned(const Child& child, std::size_t axis) const {
        const std::size_t count = values(axis), wide = row(axis);
        std::size_t behind = own();
        for (const std::size_t other : child.axes) {
            if (other > axis) behind *= values(other);
        }
        const std::size_t rows = cells(child) / count;
        std::vector<Cell> table(rows * wide, infeasible<Cell>);
        for (std::size_t i = 0; i < rows; ++i) {
            const Cell* from = child.cells + i / behind * behind * count + i % behind;
            for (std::size_t value = 0; value < count; ++value) {
                table[i * wide + value] = from[value * behind];
            }
        }
        return table;
    }

    void bar(std::vector<Cell>& table, std::size_t axis) const {
        const std::vector<Free> free = free_of(axis);
        const std::size_t wide = row(axis);
        for (std::size_t begin = 0; begin < table.size(); begin += own() * wide) {
            for (std::size_t value = 0; value < free.size(); ++value) {
                for (std::size_t i = free[value].below; i < free[value].above; ++i) {
                    table[begin + i * wide + value] = infeasible<Cell>;
                }
            }
        }
    }

    const UtilInput<Cell>& input_;
    Cell neutral_;
    std::vector<std::size_t> costs_;  // of each separator
};

}  // namespace

template <typename Cell>
Loops<Cell> loops_of(const UtilInput<Cell>& input, Cell neutral) {
    return Planner<Cell>(input, neutral).loops();
}

template Loops<float> loops_of(const UtilInput<float>&, float);
template Loops<double> loops_of(const UtilInput<double>&, double);

}  // namespace schedlab::coalloc
