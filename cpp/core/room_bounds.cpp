#include "core/room_bounds.h"

#include <algorithm>
#include <bit>

namespace schedlab {

namespace {

std::size_t power_of(Amount amount) {
    return amount > 0 ? std::bit_width(static_cast<std::uint64_t>(amount)) - 1 : 0;
}

}  // namespace

void RoomBounds::prepare(const Machine& machine) {
    const auto nodes = static_cast<std::size_t>(machine.nodes());
    if (nodes_ == nodes && resources_ == machine.resources()) return;
    nodes_ = nodes;
    resources_ = machine.resources();
    lowest_.clear();
    for (std::size_t r = 0; r < machine.gpu_begin(); ++r) {
        std::vector<Amount> amounts;
        for (std::size_t node = 0; node < nodes_; ++node) {
            const Amount amount = machine.capacity(r, static_cast<NodeIndex>(node));
            if (amount > 0) amounts.push_back(amount);
        }
        // Levels go up to what most nodes have.
        std::size_t power = 0;
        if (!amounts.empty()) {
            const auto middle = amounts.begin() + static_cast<std::ptrdiff_t>(amounts.size() / 2);
            std::nth_element(amounts.begin(), middle, amounts.end());
            power = power_of(*middle);
        }
        lowest_.push_back(power >= kLevels ? power - kLevels + 1 : 0);
    }
    capacity_.assign(machine.capacity().begin(),
                     machine.capacity().begin() + static_cast<std::ptrdiff_t>(nodes_));
    times_.assign((lowest_.size() * kLevels + 1) * nodes_, 0);
}

void RoomBounds::update(NodeIndex node, std::span<const Time> time, std::span<const Amount> free) {
    for (std::size_t r = 0; r < lowest_.size(); ++r) {
        std::size_t level = 0;
        for (std::size_t step = 0; step < time.size() && level < kLevels; ++step) {
            const Amount amount = free[step * resources_ + r];
            for (; level < kLevels && amount >= threshold(r, level); ++level) {
                at(r * kLevels + level, node) = time[step];
            }
        }
        for (; level < kLevels; ++level) at(r * kLevels + level, node) = kNever;
    }
    std::size_t step = 0;
    while (step < time.size() && free[step * resources_] < capacity_[node]) ++step;
    at(lowest_.size() * kLevels, node) = step < time.size() ? time[step] : kNever;
}

void RoomBounds::copy(NodeIndex node, const RoomBounds& other) {
    for (std::size_t row = 0; row <= lowest_.size() * kLevels; ++row) {
        at(row, node) = other.row(row)[node];
    }
}

RoomBounds::Rows RoomBounds::of(const Share& share) const {
    Rows rows;
    if (share.exclusive) {
        rows.times_[rows.count_++] = row(lowest_.size() * kLevels);
        return rows;
    }
    for (std::size_t r = 0; r < lowest_.size() && rows.count_ < Rows::kMost; ++r) {
        const std::size_t power = power_of(share.amounts[r]);
        if (share.amounts[r] <= 0 || power < lowest_[r]) continue;
        const std::size_t level = std::min(power - lowest_[r], kLevels - 1);
        rows.times_[rows.count_++] = row(r * kLevels + level);
    }
    return rows;
}

}  // namespace schedlab
