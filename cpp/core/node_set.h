#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/node_bits.h"
#include "core/types.h"

namespace schedlab {

// Some of the nodes of a machine, by their numbers.
class NodeSet {
  public:
    NodeSet() = default;
    NodeSet(NodeCount total, std::span<const NodeRange> nodes);
    static NodeSet all(NodeCount total);

    NodeCount count() const { return count_; }
    std::uint64_t word(std::size_t index) const { return words_[index]; }
    bool has(NodeIndex node) const {
        return words_[static_cast<std::size_t>(node) / kNodeBits] >> (node % kNodeBits) & 1;
    }
    // Calls visit(node) for each, the lowest number first.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            for (std::uint64_t bits = words_[word]; bits; bits &= bits - 1) {
                visit(static_cast<NodeIndex>(word * kNodeBits) + std::countr_zero(bits));
            }
        }
    }
    // Whether the two have a node in common.
    bool meets(const NodeSet& other) const;
    bool contains(const NodeSet& other) const;
    bool operator==(const NodeSet&) const = default;

    // A node to add must not be in the set; one to remove must be.
    void add(NodeIndex node) { flip(node, 1); }
    void remove(NodeIndex node) { flip(node, -1); }
    void add(const NodeSet& other);
    void remove(const NodeSet& other);
    void keep(const NodeSet& other);  // only those also in `other`
    // Keeps only the nodes whose bits are set in word(i), word by word.
    template <typename Word>
    void keep_words(Word word) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= word(i);
        recount();
    }

    // The `count` lowest-numbered. Needs count <= count().
    NodeSet lowest(NodeCount count) const;
    std::vector<NodeRange> ranges() const;

  private:
    void recount();
    void flip(NodeIndex node, NodeCount by) {
        words_[static_cast<std::size_t>(node) / kNodeBits] ^= 1ULL << (node % kNodeBits);
        count_ += by;
    }

    NodeCount count_ = 0;
    std::vector<std::uint64_t> words_;
};

}  // namespace schedlab
