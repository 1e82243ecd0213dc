#pragma once

#include <vector>

#include "core/node_set.h"

namespace schedlab {

// Which nodes are free at which time in a plan that names nodes, from now to the end of time.
class NodeTimeline {
  public:
    // The start of a job and the nodes that it holds from then on.
    struct Place {
        Time start;
        NodeSet nodes;
    };

    // Forgets everything: all nodes are free from `now` on.
    void clear(Time now, NodeCount total);
    // Forgets what lies before `now`.
    void advance(Time now);

    // Takes nodes that are free during [start, end), or gives them back.
    void hold(Time start, Time end, const NodeSet& nodes);
    void release(Time start, Time end, const NodeSet& nodes);

    // The nodes that are free from the beginning until `end`.
    NodeSet free_until(Time end) const;
    // The first time from which `count` nodes stay free for `duration`, and the lowest of them.
    Place earliest(NodeCount count, Time duration) const;
    // The first time, not before `from`, from which these very nodes stay free for `duration`.
    Time earliest_on(const NodeSet& nodes, Time from, Time duration) const;

  private:
    // From `begin` until the next segment begins; the last one is endless.
    struct Segment {
        Time begin;
        NodeSet free;
    };
    using Index = std::size_t;

    Index at(Time time) const;  // the segment that holds this time
    Index split(Time time);     // the segment that begins at this time, made if there is none
    void drop_if_flat(Index segment);

    std::vector<Segment> segments_;
};

}  // namespace schedlab
