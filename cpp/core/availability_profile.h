#pragma once

#include <cstddef>
#include <vector>

#include "core/types.h"

namespace schedlab {

class ReleaseList;

// The number of free nodes over time in a plan: a step function from now to the end of time.
class AvailabilityProfile {
  public:
    explicit AvailabilityProfile(NodeCount total) { clear(0, total); }

    // Forgets everything: `free` nodes are free from `now` on.
    void clear(Time now, NodeCount free);
    // Plans the running jobs alone. A release before `soonest` is expected at `soonest`.
    void rebuild(Time now, NodeCount free, const ReleaseList& releases, Time soonest);
    // Forgets what lies before `now`.
    void advance(Time now);

    // Occupies `nodes` during [start, end).
    void reserve(Time start, Time end, NodeCount nodes) { change(start, end, -nodes); }
    void release(Time start, Time end, NodeCount nodes) { change(start, end, nodes); }

    // Moves a reservation of `nodes` for `duration` from `from` to the earlier start `to`.
    void move_earlier(Time from, Time to, Time duration, NodeCount nodes);

    // Occupies `nodes` as early as they are free for `duration`, and returns the start.
    Time reserve_earliest(NodeCount nodes, Time duration);
    // The first time before `limit` at which `nodes` are free for `duration` or until `limit`,
    // whichever is shorter; `limit` if there is none.
    Time earliest_before(Time limit, NodeCount nodes, Time duration) const;
    // The first time from `from` on at which `nodes` are free for `duration`.
    Time earliest_from(Time from, NodeCount nodes, Time duration) const;
    // Whether `nodes` are free from the beginning for `duration`.
    bool fits_now(NodeCount nodes, Time duration) const;
    // For how long `nodes` are free from the beginning; kNever if for ever.
    Time free_for(NodeCount nodes) const;

  private:
    // The segments [first, last).
    struct Window {
        std::size_t first;
        std::size_t last;
    };
    // The first segments that begin before `limit` and in which `nodes` are free for `duration` or
    // until `limit`; empty and at the end if there are none.
    Window find(Time limit, NodeCount nodes, Time duration) const;
    std::size_t split(Time time);
    void change(Time start, Time end, NodeCount by);
    void drop_if_flat(std::size_t segment);

    // Segment i is [time_[i], time_[i + 1]), the last one is endless; those before begin_ are past.
    std::vector<Time> time_;
    std::vector<NodeCount> free_;
    std::size_t begin_ = 0;
};

}  // namespace schedlab
