#include "core/availability_profile.h"

#include <algorithm>
#include <cassert>

#include "core/find_where.h"
#include "core/release_list.h"

namespace schedlab {

void AvailabilityProfile::clear(Time now, NodeCount free) {
    time_.assign(1, now);
    free_.assign(1, free);
    begin_ = 0;
}

void AvailabilityProfile::rebuild(Time now, NodeCount free, const ReleaseList& releases,
                                  Time soonest) {
    clear(now, free);
    releases.for_each([&](Time time, NodeCount nodes) {
        const Time when = std::max(time, soonest);
        if (when == time_.back()) {
            free_.back() += nodes;
        } else {
            time_.push_back(when);
            free_.push_back(free_[free_.size() - 1] + nodes);
        }
    });
}

void AvailabilityProfile::advance(Time now) {
    while (begin_ + 1 < time_.size() && time_[begin_ + 1] <= now) ++begin_;
    time_[begin_] = std::max(time_[begin_], now);
    if (begin_ > 64 && begin_ > time_.size() / 2) {
        time_.erase(time_.begin(), time_.begin() + begin_);
        free_.erase(free_.begin(), free_.begin() + begin_);
        begin_ = 0;
    }
}

// Makes a segment begin at `time` and returns its index.
std::size_t AvailabilityProfile::split(Time time) {
    const auto place = std::lower_bound(time_.begin() + begin_, time_.end(), time);
    const std::size_t i = place - time_.begin();
    if (place != time_.end() && *place == time) return i;
    assert(i > begin_);
    time_.insert(place, time);
    free_.insert(free_.begin() + i, free_[i - 1]);
    return i;
}

void AvailabilityProfile::drop_if_flat(std::size_t segment) {
    if (segment > begin_ && segment < time_.size() && free_[segment] == free_[segment - 1]) {
        time_.erase(time_.begin() + segment);
        free_.erase(free_.begin() + segment);
    }
}

void AvailabilityProfile::change(Time start, Time end, NodeCount by) {
    start = std::max(start, time_[begin_]);
    if (start >= end) return;
    const std::size_t first = split(start);
    const std::size_t last = split(end);
    for (std::size_t i = first; i < last; ++i) {
        free_[i] += by;
        assert(free_[i] >= 0);
    }
    drop_if_flat(last);
    drop_if_flat(first);
}

AvailabilityProfile::Window AvailabilityProfile::find(Time limit, NodeCount nodes,
                                                      Time duration) const {
    const std::size_t size = time_.size();
    const NodeCount* const free = free_.data();
    for (std::size_t i = begin_;; ++i) {
        i = find_where(i, size, [=](auto read) { return read(free) >= nodes; });
        if (i == size || time_[i] >= limit) return {size, size};
        const Time end = duration < limit - time_[i] ? time_[i] + duration : limit;
        const std::size_t taken =
            find_where(i + 1, size, [=](auto read) { return read(free) < nodes; });
        if (taken == size || time_[taken] >= end) {
            const auto last = std::lower_bound(time_.begin() + i + 1, time_.begin() + taken, end);
            return {i, static_cast<std::size_t>(last - time_.begin())};
        }
        i = taken;
    }
}

Time AvailabilityProfile::earliest_before(Time limit, NodeCount nodes, Time duration) const {
    const Window found = find(limit, nodes, duration);
    return found.first < time_.size() ? time_[found.first] : limit;
}

void AvailabilityProfile::move_earlier(Time from, Time to, Time duration, NodeCount nodes) {
    change(to, std::min(to + duration, from), -nodes);
    change(std::max(to + duration, from), from + duration, nodes);
}

Time AvailabilityProfile::reserve_earliest(NodeCount nodes, Time duration) {
    const auto [first, last] = find(kNever, nodes, duration);
    assert(first < time_.size());
    const Time start = time_[first], end = start + duration;
    if (last == time_.size() || time_[last] != end) {
        time_.insert(time_.begin() + last, end);
        free_.insert(free_.begin() + last, free_[last - 1]);
    }
    for (std::size_t i = first; i < last; ++i) free_[i] -= nodes;
    drop_if_flat(last);
    drop_if_flat(first);
    return start;
}

Time AvailabilityProfile::earliest_from(Time from, NodeCount nodes, Time duration) const {
    const auto after = std::upper_bound(time_.begin() + begin_, time_.end(), from);
    std::size_t i = std::max<std::size_t>(after - time_.begin(), begin_ + 1) - 1;
    Time start = std::max(from, time_[i]);
    for (;;) {
        while (i < time_.size() && time_[i] < start + duration && free_[i] >= nodes) ++i;
        if (i == time_.size() || time_[i] >= start + duration) return start;
        while (free_[i] < nodes) {
            ++i;
            assert(i < time_.size());
        }
        start = time_[i];
    }
}

bool AvailabilityProfile::fits_now(NodeCount nodes, Time duration) const {
    return free_for(nodes) >= duration;
}

Time AvailabilityProfile::free_for(NodeCount nodes) const {
    for (std::size_t i = begin_; i < time_.size(); ++i) {
        if (free_[i] < nodes) return time_[i] - time_[begin_];
    }
    return kNever;
}

}  // namespace schedlab
