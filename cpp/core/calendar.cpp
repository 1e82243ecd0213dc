#include "core/calendar.h"

#include <algorithm>
#include <numeric>

namespace schedlab {

Calendar::Calendar(std::shared_ptr<const MachineChanges> changes) : changes_(std::move(changes)) {
    if (!changes_) return;
    guests_ = changes_->guests;
    present_.resize(changes_->intervals.size());
    std::iota(present_.begin(), present_.end(), 0);
}

std::int32_t Calendar::group_of(const OpenTo& open_to) {
    const auto known = std::find(guests_.begin(), guests_.end(), open_to);
    const auto group = static_cast<std::int32_t>(known - guests_.begin());
    if (known == guests_.end()) guests_.push_back(open_to);
    return group;
}

void Calendar::drop(std::int32_t place) { std::erase(present_, place); }

bool Calendar::has_interval_before(std::int32_t guest, Time end) const {
    for (const std::int32_t place : present_) {
        if (interval(place).begin >= end) return false;
        if (concerns(place, guest)) return true;
    }
    return false;
}

bool Calendar::bars(std::int32_t guest, Time start, Time end) const {
    for (const std::int32_t place : present_) {
        const Interval& each = interval(place);
        if (each.begin >= end) return false;
        if (concerns(place, guest) && is_in_the_way(each, start)) return true;
    }
    return false;
}

void Calendar::add_barred(std::int32_t guest, Time start, Time end, NodeSet& nodes) const {
    for (const std::int32_t place : present_) {
        const Interval& each = interval(place);
        if (each.begin >= end) return;
        if (concerns(place, guest) && is_in_the_way(each, start)) nodes.add(each.nodes);
    }
}

Time Calendar::next_open(std::int32_t guest, NodeIndex node, Time start, Time duration) const {
    for (std::size_t i = 0; i < present_.size(); ++i) {
        const Interval& each = interval(present_[i]);
        if (each.begin - start >= duration) return start;
        const bool bars = concerns(present_[i], guest) && each.nodes.has(node);
        if (!bars || !is_in_the_way(each, start)) continue;
        if (each.end == kNever) return kNever;
        start = each.end;
        i = static_cast<std::size_t>(-1);  // again: an interval that began earlier may last longer
    }
    return start;
}

Time Calendar::open_until(std::int32_t guest, NodeIndex node, Time start) const {
    for (const std::int32_t place : present_) {
        const Interval& each = interval(place);
        const bool drain = each.kind == Interval::Kind::drain;
        if (!concerns(place, guest) || !each.nodes.has(node)) continue;
        if (start >= each.end || (drain && each.begin > start)) continue;
        return std::max(start, each.begin);  // the others begin later
    }
    return kNever;
}

}  // namespace schedlab
