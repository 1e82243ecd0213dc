#include "core/machine.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace schedlab {

Machine::Machine(NodeCount nodes, std::vector<Amount> capacity, std::size_t gpus)
    : nodes_(nodes),
      resources_(nodes == 0 ? 0 : capacity.size() / static_cast<std::size_t>(nodes)),
      gpu_begin_(resources_ - gpus),
      capacity_(std::move(capacity)) {
    assert(gpus < resources_ && gpus <= kMostGpus);
    assert(resources_ > 0 && capacity_.size() == resources_ * static_cast<std::size_t>(nodes));
}

std::int32_t Machine::add(NodeSet set) {
    const auto known = std::find(sets_.begin(), sets_.end(), set);
    if (known != sets_.end()) return static_cast<std::int32_t>(known - sets_.begin());
    sets_.push_back(std::move(set));
    meets_.emplace_back();
    for (std::size_t other = 0; other < sets_.size(); ++other) {
        const bool meet = sets_.back().meets(sets_[other]);
        meets_.back().push_back(meet);
        if (other + 1 < sets_.size()) meets_[other].push_back(meet);
    }
    return static_cast<std::int32_t>(sets_.size() - 1);
}

void Machine::add_single_nodes() {
    for (NodeIndex node = 0; node < nodes_; ++node) {
        const NodeRange own{node, node};
        single_nodes_.push_back(add(NodeSet(nodes_, {&own, 1})));
    }
}

std::int32_t Machine::add(Share share) {
    const auto next = static_cast<std::int32_t>(shares_.size());
    const auto [known, is_new] = place_of_share_.emplace(std::move(share), next);
    if (is_new) shares_.push_back(known->first);
    return known->second;
}

}  // namespace schedlab
