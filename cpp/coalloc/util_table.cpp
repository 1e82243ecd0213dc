#include "coalloc/util_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "coalloc/levels.h"

namespace schedlab::coalloc {
namespace {

struct Sum {
    template <typename Cell>
    static Cell of(Cell a, Cell b) {
        return a + b;
    }
    template <typename Cell>
    static constexpr Cell one = 0;
};

struct Worst {
    template <typename Cell>
    static Cell of(Cell a, Cell b) {
        return a < b ? a : b;
    }
    template <typename Cell>
    static constexpr Cell one = std::numeric_limits<Cell>::infinity();
};

template <typename Cell>
Cell better(Cell a, Cell b) {
    return a < b ? b : a;
}

// The best of a[i] combined with b[i]. Lanes, because compilers may not reorder a maximum of floats.
template <typename Op, typename Cell>
Cell best_of(const Cell* a, const Cell* b, std::size_t count) {
    constexpr std::size_t lanes = 16 / sizeof(Cell);
    std::array<Cell, lanes> best;
    best.fill(infeasible<Cell>);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            best[lane] = better(best[lane], Op::of(a[i + lane], b[i + lane]));
        }
    }
    for (; i < count; ++i) best[0] = better(best[0], Op::of(a[i], b[i]));
    return *std::max_element(best.begin(), best.end());
}

// out[i] is a[i] combined with b[i]; out may be a, and nothing else overlaps.
template <typename Op, typename Cell>
void combine_rows(const Cell* a, const Cell* b, Cell* out, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) out[i] = Op::of(a[i], b[i]);
}

// Walks through the separators' values as nested loops and never holds the join: each level has
// one row over the node's own values, combined of all that the levels so far decide. Separators
// that no child knows are the innermost: there one sweep answers a whole row of cells.
template <typename Cell, typename Op>
class Walk {
  public:
    Walk(const UtilInput<Cell>& input, Cell* out)
        : input_(&input),
          out_(out),
          own_(input.own.starts.size()),
          levels_(levels_of(input, Op::template one<Cell>)) {
        for (tasks_deep_ = 0; tasks_deep_ + 1 < levels_.size() && tasks_ < enough_tasks;) {
            tasks_ *= levels_[tasks_deep_++].values;
        }
    }

    void run(std::size_t threads) const {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            State state(*this);
            for (std::size_t task; (task = next.fetch_add(1)) < tasks_;) run_task(state, task);
        };
        std::vector<std::jthread> team;
        if (cells() * own_ >= worth_a_thread) {
            for (std::size_t i = 1; i < std::min(threads, tasks_); ++i) team.emplace_back(work);
        }
        work();
    }

  private:
    static constexpr std::size_t enough_tasks = 128;
    static constexpr std::size_t worth_a_thread = std::size_t{1} << 18;

    struct State {
        explicit State(const Walk& walk)
            : rows((walk.levels_.size() + 2) * walk.own_),
              best(walk.own_ + 1),
              best_after(walk.own_ + 1),
              offsets(walk.input_->children.size()) {}
        std::vector<Cell> rows;  // one for each level, and one to spare
        std::vector<Cell> best, best_after;
        std::vector<std::size_t> offsets;  // of the row in each child's table
    };

    std::size_t cells() const {
        std::size_t product = 1;
        for (const auto& level : levels_) product *= level.values;
        return product;
    }

    // The levels that a task fixes are given by its number, the others it loops over.
    void run_task(State& state, std::size_t task) const {
        std::fill(state.offsets.begin(), state.offsets.end(), 0);
        begin(state.rows.data());
        std::size_t at = 0, rest = task, below = tasks_;
        for (std::size_t depth = 0; depth < tasks_deep_; ++depth) {
            below /= levels_[depth].values;
            const std::size_t value = rest / below;
            rest %= below;
            move(state, depth, value);
            fill_row(state, depth, value);
            at += value * levels_[depth].stride;
        }
        descend(state, tasks_deep_, at);
    }

    // The row before any separator has a value: own utilities and the children that know only us.
    void begin(Cell* row) const {
        std::copy(input_->utility.begin(), input_->utility.end(), row);
        for (const auto& child : input_->children) {
            if (child.axes.empty()) combine_into(row, child.cells);
        }
    }

    void descend(State& state, std::size_t depth, std::size_t at) const {
        if (depth == levels_.size()) {
            const Cell* row = state.rows.data() + depth * own_;
            out_[at] = *std::max_element(row, row + own_);
            return;
        }
        const Level<Cell>& level = levels_[depth];
        if (depth + 1 == levels_.size()) {
            return level.steps.empty() ? sweep(state, depth, at) : reduce(state, depth, at);
        }
        for (std::size_t value = 0; value < level.values; ++value) {
            fill_row(state, depth, value);
            descend(state, depth + 1, at + value * level.stride);
            move(state, depth, 1);
        }
        move(state, depth, std::size_t{0} - level.values);
    }

    void move(State& state, std::size_t depth, std::size_t values) const {
        for (const auto& step : levels_[depth].steps) {
            state.offsets[step.child] += values * step.stride;
        }
    }

    // The row of the next level, with this level's separator at its value-th value.
    void fill_row(State& state, std::size_t depth, std::size_t value) const {
        const Cell* row = barred_row(state, depth, value);
        Cell* next = state.rows.data() + (depth + 1) * own_;
        if (row != next) std::copy(row, row + own_, next);
        for (const auto& step : levels_[depth].steps) {
            if (step.last) combine_into(next, child_row(state, step.child));
        }
    }

    // This level's row without the own values that overlap with the separator's value-th value:
    // as the next level's row, or itself where nothing can overlap.
    const Cell* barred_row(State& state, std::size_t depth, std::size_t value) const {
        const Cell* row = state.rows.data() + depth * own_;
        const Level<Cell>& level = levels_[depth];
        if (level.barrier.empty()) return row;
        Cell* next = state.rows.data() + (depth + 1) * own_;
        combine_rows<Op>(row, level.barrier.data() + value * own_, next, own_);
        return next;
    }

    const Cell* child_row(const State& state, std::size_t child) const {
        return input_->children[child].cells + state.offsets[child];
    }

    void combine_into(Cell* row, const Cell* other) const {
        combine_rows<Op>(row, other, row, own_);
    }

    // The innermost separator is known to no child, so the row is the same for all its values:
    // its best beginnings and best endings give the cell of each value at once.
    void sweep(State& state, std::size_t depth, std::size_t at) const {
        const Cell* row = state.rows.data() + depth * own_;
        Cell* before = state.best.data();
        Cell* after = state.best_after.data();
        before[0] = after[own_] = infeasible<Cell>;
        for (std::size_t i = 0; i < own_; ++i) before[i + 1] = better(before[i], row[i]);
        for (std::size_t i = own_; i-- > 0;) after[i] = better(after[i + 1], row[i]);
        const Level<Cell>& level = levels_[depth];
        Cell* out = out_ + at;
        for (const Free& free : level.free) {
            *out = better(before[free.below], after[free.above]);
            out += level.stride;
        }
    }

    // The innermost separator is known to children: each of its values has a row of its own.
    void reduce(State& state, std::size_t depth, std::size_t at) const {
        const Level<Cell>& level = levels_[depth];
        Cell* next = state.rows.data() + (depth + 1) * own_;
        const auto last_step = level.steps.end() - 1;
        for (std::size_t value = 0; value < level.values; ++value) {
            const Cell* row = barred_row(state, depth, value);
            for (auto step = level.steps.begin(); step != last_step; ++step) {
                combine_rows<Op>(row, child_row(state, step->child), next, own_);
                row = next;
            }
            out_[at + value * level.stride] =
                best_of<Op>(row, child_row(state, last_step->child), own_);
            move(state, depth, 1);
        }
        move(state, depth, std::size_t{0} - level.values);
    }

    const UtilInput<Cell>* input_;
    Cell* out_;
    std::size_t own_;
    std::vector<Level<Cell>> levels_;
    std::size_t tasks_ = 1;       // the product of the outermost levels' values
    std::size_t tasks_deep_ = 0;  // how many levels these are
};

}  // namespace

template <typename Cell>
void util_table(const UtilInput<Cell>& input, Combine combine, std::size_t threads, Cell* out) {
    if (combine == Combine::sum) {
        Walk<Cell, Sum>(input, out).run(threads);
    } else {
        Walk<Cell, Worst>(input, out).run(threads);
    }
}

template void util_table(const UtilInput<float>&, Combine, std::size_t, float*);
template void util_table(const UtilInput<double>&, Combine, std::size_t, double*);

}  // namespace schedlab::coalloc
