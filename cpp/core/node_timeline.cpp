#include "core/node_timeline.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace schedlab {

void NodeTimeline::clear(Time now, NodeCount total) { segments_ = {{now, NodeSet::all(total)}}; }

void NodeTimeline::advance(Time now) {
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(at(now)));
    segments_.front().begin = now;
}

NodeTimeline::Index NodeTimeline::at(Time time) const {
    assert(segments_.front().begin <= time);
    const auto after = std::upper_bound(segments_.begin(), segments_.end(), time,
                                        [](Time t, const Segment& s) { return t < s.begin; });
    return static_cast<Index>(after - segments_.begin()) - 1;
}

NodeTimeline::Index NodeTimeline::split(Time time) {
    const Index i = at(time);
    if (segments_[i].begin == time) return i;
    Segment rest{time, segments_[i].free};
    segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(i + 1), std::move(rest));
    return i + 1;
}

void NodeTimeline::drop_if_flat(Index segment) {
    if (segment == 0 || segments_[segment].free != segments_[segment - 1].free) return;
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(segment));
}

void NodeTimeline::hold(Time start, Time end, const NodeSet& nodes) {
    const Index first = split(start);
    const Index last = split(end);
    for (Index i = first; i < last; ++i) {
        assert(segments_[i].free.contains(nodes));
        segments_[i].free.remove(nodes);
    }
    drop_if_flat(last);
    drop_if_flat(first);
}

void NodeTimeline::release(Time start, Time end, const NodeSet& nodes) {
    const Index first = split(start);
    const Index last = split(end);
    for (Index i = first; i < last; ++i) {
        assert(!segments_[i].free.meets(nodes));
        segments_[i].free.add(nodes);
    }
    drop_if_flat(last);
    drop_if_flat(first);
}

NodeSet NodeTimeline::free_until(Time end) const {
    NodeSet free = segments_.front().free;
    for (Index i = 1; i < segments_.size() && segments_[i].begin < end; ++i) {
        free.keep(segments_[i].free);
    }
    return free;
}

NodeTimeline::Place NodeTimeline::earliest(NodeCount count, Time duration) const {
    NodeSet free;
    for (Index first = 0;; ++first) {
        assert(first < segments_.size());  // in the end all nodes are free
        if (segments_[first].free.count() < count) continue;
        const Time start = segments_[first].begin;
        free = segments_[first].free;
        for (Index i = first + 1; i < segments_.size() && segments_[i].begin < start + duration;
             ++i) {
            free.keep(segments_[i].free);
            if (free.count() >= count) continue;
            if (segments_[i].free.count() < count) first = i;  // no job can start before it ends
            break;
        }
        if (free.count() >= count) return {start, free.lowest(count)};
    }
}

Time NodeTimeline::earliest_on(const NodeSet& nodes, Time from, Time duration) const {
    Time start = from;
    for (Index i = at(from); i < segments_.size() && segments_[i].begin < start + duration; ++i) {
        if (!segments_[i].free.contains(nodes)) start = segments_[i + 1].begin;
    }
    return start;
}

}  // namespace schedlab
