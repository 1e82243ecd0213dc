#pragma once

#include <cstddef>
#include <vector>

#include "core/types.h"

namespace schedlab {

class ReleaseList;

// Free nodes over time as a plan has them: a step function from now to the end of time.
class AvailabilityProfile {
  public:
    explicit AvailabilityProfile(NodeCount total) { clear(0, total); }

    // Forgets everything: `free` nodes from `now` on.
    void clear(Time now, NodeCount free);
    // The plan of the running jobs alone. A release overdue at `soonest` is expected then.
    void rebuild(Time now, NodeCount free, const ReleaseList& releases, Time soonest);
    // Forgets what lies before `now`.
    void advance(Time now);

    // Occupies `nodes` during [start, end).
    void reserve(Time start, Time end, NodeCount nodes) { change(start, end, -nodes); }
    void release(Time start, Time end, NodeCount nodes) { change(start, end, nodes); }

    // Moves what occupies `nodes` during [from, from + duration) to begin at `to`, before `from`.
    void move_earlier(Time from, Time to, Time duration, NodeCount nodes);

    // Occupies `nodes` for `duration` as soon as they are free for so long, and returns when.
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
    // The first that begin before `limit` and in which `nodes` are free for `duration` or until
    // `limit`; empty and at the end if there are none.
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
