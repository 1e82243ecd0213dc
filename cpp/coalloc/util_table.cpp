#include "coalloc/util_table.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "coalloc/loops.h"
#include "coalloc/rows.h"

namespace schedlab::coalloc {
namespace {

// Walks through the separators' values as nested loops and never holds the join: each level has
// one row over the node's own values, which combines all that the levels so far decide.
template <typename Cell, typename Op>
class Walk {
  public:
    Walk(const UtilInput<Cell>& input, Cell* out)
        : input_(&input),
          out_(out),
          own_(input.own.starts.size()),
          loops_(loops_of(input, Op::template one<Cell>)) {
        const std::size_t inside = loops_.inner ? 0 : 1;
        while (tasks_deep_ + inside < loops_.levels.size() && tasks_ < enough_tasks) {
            tasks_ *= loops_.levels[tasks_deep_++].values;
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

    using L = Lanes<Cell>;
    using Vector = typename L::Vector;

    struct State {
        explicit State(const Walk& walk)
            : rows((walk.loops_.levels.size() + 2) * walk.own_),
              offsets(walk.input_->children.size() + 1),
              tables(walk.loops_.inner ? walk.loops_.inner->tables.size() : 0),
              before(walk.loops_.swept ? walk.own_ + 1 : 0),
              after(before.size()) {}
        std::vector<Cell> rows;            // one for each level, and one to spare
        std::vector<std::size_t> offsets;  // of the row in each child's table; the last is 0
        std::vector<const Cell*> tables;   // of the inner separator, at some of its values
        std::vector<Vector> before, after;
    };

    std::size_t cells() const {
        std::size_t product = 1;
        for (const auto& each : input_->separators) product *= each.variable.starts.size();
        return product;
    }

    // The task's number gives the values of the levels that it fixes; it loops over the others.
    void run_task(State& state, std::size_t task) const {
        std::fill(state.offsets.begin(), state.offsets.end(), 0);
        begin(state.rows.data());
        std::size_t at = 0, rest = task, below = tasks_;
        for (std::size_t depth = 0; depth < tasks_deep_; ++depth) {
            const Level<Cell>& level = loops_.levels[depth];
            below /= level.values;
            const std::size_t value = rest / below;
            rest %= below;
            move(state, level, value);
            fill_row(state, depth, value);
            at += value * level.stride;
        }
        descend(state, tasks_deep_, at);
    }

    // The row before any separator has a value: own utilities, and children that know no separator.
    void begin(Cell* row) const {
        std::copy(input_->utility.begin(), input_->utility.end(), row);
        for (const auto& child : input_->children) {
            if (child.axes.empty()) combine_rows<Op>(row, child.cells, row, own_);
        }
    }

    void descend(State& state, std::size_t depth, std::size_t at) const {
        if (depth == loops_.levels.size()) return finish(state, at);
        if (!loops_.inner && depth + 1 == loops_.levels.size()) return reduce(state, depth, at);
        const Level<Cell>& level = loops_.levels[depth];
        for (std::size_t value = 0; value < level.values; ++value) {
            fill_row(state, depth, value);
            descend(state, depth + 1, at + value * level.stride);
            move(state, level, 1);
        }
        move(state, level, std::size_t{0} - level.values);
    }

    static void move(State& state, const Level<Cell>& level, std::size_t values) {
        for (const auto& step : level.steps) state.offsets[step.child] += values * step.stride;
    }

    // The row of the next level, with this level's separator at its value-th value.
    void fill_row(State& state, std::size_t depth, std::size_t value) const {
        const Level<Cell>& level = loops_.levels[depth];
        const Cell* row = state.rows.data() + depth * own_;
        Cell* next = state.rows.data() + (depth + 1) * own_;
        combine_rows<Op>(row, level.barrier.data() + value * own_, next, own_);
        for (const auto& step : level.steps) {
            if (step.last) combine_rows<Op>(next, child_row(state, step.child), next, own_);
        }
    }

    const Cell* child_row(const State& state, std::size_t child) const {
        return input_->children[child].cells + state.offsets[child];
    }

    // The innermost separator is known to children: each of its values has a row of its own.
    void reduce(State& state, std::size_t depth, std::size_t at) const {
        const Level<Cell>& level = loops_.levels[depth];
        const Cell* row = state.rows.data() + depth * own_;
        Cell* next = state.rows.data() + (depth + 1) * own_;
        const auto last = level.steps.end() - 1;
        for (std::size_t value = 0; value < level.values; ++value) {
            const Cell* barred = level.barrier.data() + value * own_;
            for (auto step = level.steps.begin(); step != last; ++step) {
                combine_rows<Op>(barred, child_row(state, step->child), next, own_);
                barred = next;
            }
            out_[at + value * level.stride] =
                best_of<Op>(row, barred, child_row(state, last->child), own_);
            move(state, level, 1);
        }
        move(state, level, std::size_t{0} - level.values);
    }

    // Writes all cells for the current values of the levels.
    void finish(State& state, std::size_t at) const {
        const Cell* row = state.rows.data() + loops_.levels.size() * own_;
        if (!loops_.inner) {
            out_[at] = *std::max_element(row, row + own_);
            return;
        }
        const auto& tables = loops_.inner->tables;
        for (std::size_t from = 0; from < loops_.inner->row; from += L::count) {
            for (std::size_t i = 0; i < tables.size(); ++i) {
                state.tables[i] = tables[i].cells.data() + state.offsets[tables[i].child] + from;
            }
            loops_.swept ? sweep(state, row, from, at) : best_own(state, row, from, at);
        }
    }

    // The row's own-th value combined with what the tables say of it, for some inner values.
    Vector beside(const State& state, const Cell* row, std::size_t own) const {
        Vector found = L::all(row[own]);
        for (const Cell* table : state.tables) {
            found = Op::of(found, L::load(table + own * loops_.inner->row));
        }
        return found;
    }

    void best_own(const State& state, const Cell* row, std::size_t from, std::size_t at) const {
        Vector best = beside(state, row, 0);
        for (std::size_t own = 1; own < own_; ++own) best = better(best, beside(state, row, own));
        write(best, from, at);
    }

    // The own values barred by a separator that no child knows are one interval: the best before
    // it and the best after it give the cells of each of its values.
    void sweep(State& state, const Cell* row, std::size_t from, std::size_t at) const {
        Vector* before = state.before.data();
        Vector* after = state.after.data();
        before[0] = after[own_] = L::all(infeasible<Cell>);
        for (std::size_t own = 0; own < own_; ++own) {
            after[own] = beside(state, row, own);
            before[own + 1] = better(before[own], after[own]);
        }
        for (std::size_t own = own_; own-- > 0;) after[own] = better(after[own + 1], after[own]);
        for (const Free& free : loops_.swept->free) {
            write(better(before[free.below], after[free.above]), from, at);
            at += loops_.swept->stride;
        }
    }

    // Writes inner values from `from` on into the message, without those that only fill a vector.
    void write(Vector cells, std::size_t from, std::size_t at) const {
        const SideBySide<Cell>& inner = *loops_.inner;
        Cell* out = out_ + at + from * inner.stride;
        const std::size_t count = std::min(L::count, inner.values - from);
        if (inner.stride == 1 && count == L::count) return L::store(out, cells);
        for (std::size_t i = 0; i < count; ++i) out[i * inner.stride] = cells[i];
    }

    const UtilInput<Cell>* input_;
    Cell* out_;
    std::size_t own_;
    Loops<Cell> loops_;
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
