#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace schedlab::coalloc {

template <typename Cell>
constexpr Cell infeasible = -std::numeric_limits<Cell>::infinity();

// Cells side by side that one instruction works on: as many as any processor's vectors hold.
template <typename Cell>
struct Lanes {
    static constexpr std::size_t bytes = 16;
    static constexpr std::size_t count = bytes / sizeof(Cell);
    typedef Cell Vector __attribute__((vector_size(bytes)));

    static Vector load(const Cell* from) {
        Vector vector;
        std::memcpy(&vector, from, bytes);
        return vector;
    }
    static void store(Cell* to, Vector vector) { std::memcpy(to, &vector, bytes); }
    static Vector all(Cell cell) { return cell - Vector{}; }
    static Cell best(Vector vector) {
        Cell best = vector[0];
        for (std::size_t lane = 1; lane < count; ++lane) best = std::max(best, vector[lane]);
        return best;
    }
};

// How utilities of parts make the utility of the whole, for cells and for vectors of cells.
struct Sum {
    template <typename Value>
    static Value of(Value a, Value b) {
        return a + b;
    }
    template <typename Cell>
    static constexpr Cell one = 0;
};

struct Worst {
    template <typename Value>
    static Value of(Value a, Value b) {
        return a < b ? a : b;
    }
    template <typename Cell>
    static constexpr Cell one = std::numeric_limits<Cell>::infinity();
};

template <typename Value>
Value better(Value a, Value b) {
    return a < b ? b : a;
}

// Sets out[i] to a[i] combined with b[i]; out may be a, but rows must not overlap otherwise.
template <typename Op, typename Cell>
void combine_rows(const Cell* a, const Cell* b, Cell* out, std::size_t count) {
    using L = Lanes<Cell>;
    std::size_t i = 0;
    for (; i + L::count <= count; i += L::count) {
        L::store(out + i, Op::of(L::load(a + i), L::load(b + i)));
    }
    for (; i < count; ++i) out[i] = Op::of(a[i], b[i]);
}

// The best of a[i] combined with b[i] and c[i]. The last vector may count some cells twice: that
// changes no maximum.
template <typename Op, typename Cell>
Cell best_of(const Cell* a, const Cell* b, const Cell* c, std::size_t count) {
    using L = Lanes<Cell>;
    if (count < L::count) {
        Cell best = infeasible<Cell>;
        for (std::size_t i = 0; i < count; ++i) {
            best = better(best, Op::of(Op::of(a[i], b[i]), c[i]));
        }
        return best;
    }
    const auto at = [&](std::size_t i) {
        return Op::of(Op::of(L::load(a + i), L::load(b + i)), L::load(c + i));
    };
    auto best = at(count - L::count);
    for (std::size_t i = 0; i + L::count < count; i += L::count) best = better(best, at(i));
    return L::best(best);
}

}  // namespace schedlab::coalloc
