#pragma once

#include <memory>
#include <vector>

#include "core/machine.h"

namespace schedlab {

// Nodes that are closed to some jobs, or to all, from `begin` until `end`.
struct Interval {
    enum class Kind : std::int8_t {
        outage,       // no job may run there: running jobs are interrupted
        drain,        // no job may start there
        reservation,  // only guests may run there
    };

    Kind kind;
    Time begin;
    Time end;  // kNever: it does not end
    NodeSet nodes;
};

// By interval: true if it does not concern a group of guests.
using OpenTo = std::vector<bool>;

// A change of a consumable's capacity, which holds from `time` on.
struct CapacityStep {
    Time time;
    NodeIndex consumable;  // its index; consumables follow the nodes
    Amount capacity;
};

// A failure of a node, without notice.
struct NodeFailure {
    NodeIndex node;
    Time time;
    Time up;  // when it is repaired
};

// Changes of the machine itself, in order of time. Each time is when the simulator notices it.
struct MachineChanges {
    std::vector<Interval> intervals;  // in order of their begin
    std::vector<CapacityStep> steps;
    std::vector<NodeFailure> failures;
    std::vector<OpenTo> guests;  // by group
};

// The announced changes that are still to come or in progress.
class Calendar {
  public:
    Calendar() = default;
    explicit Calendar(std::shared_ptr<const MachineChanges> changes);

    // Return the group of guests to whom these intervals are open, added if it is new.
    std::int32_t group_of(const OpenTo& open_to);
    const Interval& interval(std::int32_t place) const { return changes_->intervals[place]; }
    // Removes an interval that has ended, or an outage that has begun and closed its nodes.
    void drop(std::int32_t place);
    // Passes the next capacity step, which has happened.
    void pass_step() { ++next_step_; }

    bool empty() const { return present_.empty(); }
    // Whether an interval that begins before `end` may bar a guest of this group.
    bool has_interval_before(std::int32_t guest, Time end) const;
    // Whether intervals bar such a guest from at least one node between `start` and `end`.
    bool bars(std::int32_t guest, Time start, Time end) const;
    // Adds the nodes from which intervals bar such a guest.
    void add_barred(std::int32_t guest, Time start, Time end, NodeSet& nodes) const;
    // The first time from `start` on at which the node is open to such a guest for `duration`.
    Time next_open(std::int32_t guest, NodeIndex node, Time start, Time duration) const;
    // Until when the node stays open to such a guest that begins to use it at `start`.
    Time open_until(std::int32_t guest, NodeIndex node, Time start) const;

    // Whether a capacity changes before that time.
    bool has_step_before(Time end) const {
        return next_step_ < steps() && changes_->steps[next_step_].time < end;
    }
    // Calls visit(step) for the steps of a consumable that are to come.
    template <typename Visit>
    void for_each_step(NodeIndex consumable, Visit visit) const {
        for (std::size_t i = next_step_; i < steps(); ++i) {
            if (changes_->steps[i].consumable == consumable) visit(changes_->steps[i]);
        }
    }

  private:
    std::size_t steps() const { return changes_ ? changes_->steps.size() : 0; }
    bool concerns(std::int32_t place, std::int32_t guest) const {
        return guest != kNoGuest && !guests_[guest][place];
    }
    // Whether the interval bars a stay that begins at `start` and ends after the interval begins.
    static bool is_in_the_way(const Interval& interval, Time start) {
        return start < interval.end &&
               (interval.kind != Interval::Kind::drain || interval.begin <= start);
    }

    std::shared_ptr<const MachineChanges> changes_;
    std::vector<OpenTo> guests_;
    std::vector<std::int32_t> present_;  // intervals, in order of their begin
    std::size_t next_step_ = 0;
};

}  // namespace schedlab
