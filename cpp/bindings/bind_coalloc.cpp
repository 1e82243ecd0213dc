#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "coalloc/min_fill.h"
#include "coalloc/util_table.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace schedlab {
namespace {

using coalloc::Slot;

template <typename Cell>
using Table = nb::ndarray<nb::numpy, Cell, nb::c_contig>;
template <typename Cell>
using ConstTable = nb::ndarray<const Cell, nb::c_contig, nb::device::cpu>;
template <typename Cell>
using ChildMessage = std::tuple<ConstTable<Cell>, std::vector<std::size_t>>;
using SeparatorTuple = std::tuple<Column<Slot>, Slot, bool>;

template <typename Cell>
void require_fitting(const coalloc::UtilInput<Cell>& input, const ChildMessage<Cell>& message) {
    const auto& [table, axes] = message;
    bool fits = table.ndim() == axes.size() + 1 &&
                table.shape(axes.size()) == input.own.starts.size();
    for (std::size_t i = 0; fits && i < axes.size(); ++i) {
        fits = axes[i] < input.separators.size() && (i == 0 || axes[i - 1] < axes[i]) &&
               table.shape(i) == input.separators[axes[i]].variable.starts.size();
    }
    if (!fits) throw std::invalid_argument("a child's UTIL message does not fit its separators");
}

template <typename Cell>
coalloc::UtilInput<Cell> util_input(const Column<Slot>& starts, Slot slots,
                                    const Column<Cell>& utility,
                                    const std::vector<SeparatorTuple>& separators,
                                    const std::vector<ChildMessage<Cell>>& children) {
    if (starts.size() == 0 || starts.size() != utility.size()) {
        throw std::invalid_argument("a node needs values, and one utility for each");
    }
    coalloc::UtilInput<Cell> input{{as_span(starts), slots}, as_span(utility), {}, {}};
    for (const auto& [values, length, linked] : separators) {
        input.separators.push_back({{as_span(values), length}, linked});
    }
    for (const auto& message : children) {
        require_fitting(input, message);
        input.children.push_back({std::get<0>(message).data(), std::get<1>(message)});
    }
    return input;
}

template <typename Cell>
Table<Cell> util_table(const Column<Slot>& starts, Slot slots, const Column<Cell>& utility,
                       const std::vector<SeparatorTuple>& separators,
                       const std::vector<ChildMessage<Cell>>& children, coalloc::Combine combine,
                       std::size_t threads) {
    const auto input = util_input<Cell>(starts, slots, utility, separators, children);
    std::vector<std::size_t> shape;
    std::size_t cells = 1;
    for (const auto& separator : input.separators) {
        shape.push_back(separator.variable.starts.size());
        cells *= shape.back();
    }
    auto made = std::make_unique_for_overwrite<Cell[]>(cells);
    if (cells > 0) {
        const nb::gil_scoped_release unlocked;
        coalloc::util_table(input, combine, threads, made.get());
    }
    Cell* table = made.release();
    const nb::capsule owner(table, [](void* p) noexcept { delete[] static_cast<Cell*>(p); });
    return Table<Cell>(table, shape.size(), shape.data(), owner);
}

std::vector<std::size_t> min_fill(const coalloc::Graph& neighbours,
                                  const std::vector<std::size_t>& ranks) {
    for (const auto& others : neighbours) {
        for (const std::size_t other : others) {
            if (other >= neighbours.size()) throw std::invalid_argument("a neighbour is no node");
        }
    }
    if (ranks.size() != neighbours.size()) throw std::invalid_argument("a node needs one rank");
    const nb::gil_scoped_release unlocked;
    return coalloc::min_fill(neighbours, ranks);
}

template <typename Cell>
void bind_util_table(nb::module_& m, const char* name) {
    m.def(name, &util_table<Cell>, "starts"_a.noconvert(), "slots"_a,
          "utility"_a.noconvert(), "separators"_a, "children"_a, "combine"_a, "threads"_a = 1,
          "The UTIL message of a node of a pseudo tree: for each combination of its separators' "
          "values the best utility of its subtree.");
}

}  // namespace

void bind_coalloc(nb::module_& m) {
    nb::enum_<coalloc::Combine>(m, "Combine", "How utilities of parts make that of the whole.")
        .value("SUM", coalloc::Combine::sum, "max-plus: total value, sum of starts")
        .value("WORST", coalloc::Combine::worst, "max-min: makespan");
    m.def("min_fill", &min_fill, "neighbours"_a, "ranks"_a,
          "The order in which nodes are eliminated, always the one next that joins the fewest "
          "pairs of others.");
    bind_util_table<float>(m, "util_table_float32");
    bind_util_table<double>(m, "util_table_float64");
}

}  // namespace schedlab
