#include "coalloc/min_fill.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace schedlab::coalloc {
namespace {

// The graph as rows of bits, from which nodes are eliminated.
class Elimination {
  public:
    explicit Elimination(const Graph& neighbours)
        : words_((neighbours.size() + 63) / 64),
          bits_(neighbours.size() * words_),
          costs_(neighbours.size()) {
        for (std::size_t node = 0; node < neighbours.size(); ++node) {
            for (const std::size_t other : neighbours[node]) set(row(node), other);
        }
        for (std::size_t node = 0; node < neighbours.size(); ++node) count(node);
    }

    struct Cost {
        std::size_t fill;  // twice the number of pairs of its neighbours that are not joined
        std::size_t degree;
    };

    const Cost& cost(std::size_t node) const { return costs_[node]; }

    // Joins all neighbours of the node and takes it out.
    void eliminate(std::size_t node) {
        const std::vector<Word> around(row(node), row(node) + words_);
        std::vector<Word> changed = around;
        for_each(around.data(), [&](std::size_t other) {
            Word* near = row(other);
            for (std::size_t i = 0; i < words_; ++i) near[i] |= around[i];
            clear(near, node);
            clear(near, other);
            for (std::size_t i = 0; i < words_; ++i) changed[i] |= near[i];
        });
        for_each(changed.data(), [&](std::size_t other) { count(other); });
    }

  private:
    using Word = std::uint64_t;

    Word* row(std::size_t node) { return bits_.data() + node * words_; }
    static void set(Word* row, std::size_t node) { row[node / 64] |= Word{1} << node % 64; }
    static void clear(Word* row, std::size_t node) { row[node / 64] &= ~(Word{1} << node % 64); }

    template <typename Visit>
    void for_each(const Word* row, Visit visit) const {
        for (std::size_t i = 0; i < words_; ++i) {
            for (Word left = row[i]; left != 0; left &= left - 1) {
                visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
            }
        }
    }

    void count(std::size_t node) {
        const Word* around = row(node);
        Cost cost{0, 0};
        for_each(around, [&](std::size_t other) {
            const Word* near = row(other);
            ++cost.degree;
            for (std::size_t i = 0; i < words_; ++i) {
                cost.fill += static_cast<std::size_t>(std::popcount(around[i] & ~near[i]));
            }
        });
        cost.fill -= cost.degree;  // no node is its own neighbour
        costs_[node] = cost;
    }

    std::size_t words_;
    std::vector<Word> bits_;
    std::vector<Cost> costs_;
};

}  // namespace

std::vector<std::size_t> min_fill(const Graph& neighbours, const std::vector<std::size_t>& ranks) {
    Elimination graph(neighbours);
    std::vector<std::size_t> order(neighbours.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (auto next = order.begin(); next != order.end(); ++next) {
        const auto key = [&](std::size_t node) {
            return std::tuple(graph.cost(node).fill, graph.cost(node).degree, ranks[node]);
        };
        std::iter_swap(next, std::min_element(next, order.end(), [&](auto one, auto other) {
            return key(one) < key(other);
        }));
        graph.eliminate(*next);
    }
    return order;
}

}  // namespace schedlab::coalloc
