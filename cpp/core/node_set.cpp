#include "core/node_set.h"

#include <cassert>

namespace schedlab {

NodeSet::NodeSet(NodeCount total, std::span<const NodeRange> nodes) : words_(words_for(total)) {
    for (const NodeRange range : nodes) {
        for_each_word(range, [this](std::size_t word, std::uint64_t bits) {
            words_[word] |= bits;
        });
    }
    recount();
}

NodeSet NodeSet::all(NodeCount total) {
    const NodeRange range{0, total - 1};
    return {total, {&range, 1}};
}

void NodeSet::recount() {
    count_ = 0;
    for (const std::uint64_t bits : words_) count_ += std::popcount(bits);
}

bool NodeSet::meets(const NodeSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if (words_[i] & other.words_[i]) return true;
    }
    return false;
}

bool NodeSet::contains(const NodeSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if (other.words_[i] & ~words_[i]) return false;
    }
    return true;
}

void NodeSet::add(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    recount();
}

void NodeSet::remove(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    recount();
}

void NodeSet::keep(const NodeSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    recount();
}

NodeSet NodeSet::lowest(NodeCount count) const {
    assert(count <= count_);
    NodeSet found = *this;
    found.count_ = count;
    for (std::uint64_t& bits : found.words_) {
        const NodeCount here = std::popcount(bits);
        if (here > count) bits = lowest_bits(bits, count);
        count -= here < count ? here : count;
    }
    return found;
}

std::vector<NodeRange> NodeSet::ranges() const {
    std::vector<NodeRange> found;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        append_ranges(words_[i], static_cast<NodeIndex>(i * kNodeBits), 0, found);
    }
    return found;
}

}  // namespace schedlab
