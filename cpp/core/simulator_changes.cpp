// Changes of the machine itself: outages, drains, reservations, capacities, failures.

#include <algorithm>

#include "core/simulator.h"
#include "core/view.h"

namespace schedlab {

void Simulator::schedule_changes() {
    calendar_ = Calendar(options_.changes);
    if (!options_.changes) return;
    const MachineChanges& all = *options_.changes;
    for (std::size_t i = 0; i < all.intervals.size(); ++i) {
        const auto place = static_cast<std::int32_t>(i);
        events_[EventKind::closing].push({all.intervals[i].begin, place});
        if (all.intervals[i].end == kNever) continue;
        events_[EventKind::opening].push({all.intervals[i].end, place});
    }
    for (std::size_t i = 0; i < all.steps.size(); ++i) {
        events_[EventKind::capacity].push({all.steps[i].time, static_cast<std::int32_t>(i)});
    }
    for (std::size_t i = 0; i < all.failures.size(); ++i) {
        events_[EventKind::failure].push({all.failures[i].time, static_cast<std::int32_t>(i)});
    }
}

void Simulator::change_machine() {
    const auto play = [this](EventKind kind, auto change) {
        EventHeap& events = events_[kind];
        for (; !events.empty() && events.top().time <= now_; machine_changed_ = true) {
            const std::int32_t place = events.top().index;
            events.pop();
            change(place);
        }
    };
    play(EventKind::opening, [this](std::int32_t place) {
        if (place != kRepair) calendar_.drop(place);
    });
    if (machine_changed_) open_nodes();
    play(EventKind::capacity, [this](std::int32_t place) {
        change_capacity(options_.changes->steps[place]);
    });
    play(EventKind::closing, [this](std::int32_t place) {
        const Interval& interval = calendar_.interval(place);
        if (interval.kind != Interval::Kind::outage) return;
        interrupt_all(interval.nodes, WhyEnded::outage);
        interval.nodes.for_each([&](NodeIndex node) { close_node(node, interval.end); });
        calendar_.drop(place);
    });
    play(EventKind::failure, [this](std::int32_t place) { fail(options_.changes->failures[place]); });
}

void Simulator::change_capacity(const CapacityStep& step) {
    Amount there = states_->free(0, step.consumable);
    for (const NodeStates::Run& run : states_->runs(step.consumable)) {
        there += states_->machine().share(run.share).amounts[0];
    }
    states_->add_capacity(step.consumable, step.capacity - there);
    calendar_.pass_step();
    note_freed({step.consumable, step.consumable});
    ++started_ever_;  // the capacity may have become less
}

void Simulator::fail(const NodeFailure& failure) {
    NodeSet node(nodes(), {});
    node.add(failure.node);
    interrupt_all(node, WhyEnded::failure);
    upset_ = true;
    if (failure.up <= now_) return;
    close_node(failure.node, failure.up);
    events_[EventKind::opening].push({failure.up, kRepair});
}

void Simulator::close_node(NodeIndex node, Time until) {
    const NodeRange own{node, node};
    const auto [known, is_new] = closed_.emplace(node, until);
    const Time before = known->second;
    if (!is_new && before >= until) return;
    if (is_new) {
        pool_.take({&own, 1});
    } else {
        releases_.remove(before, 1);
        if (states_) states_->open(node);
    }
    known->second = until;
    releases_.add(until, 1);
    if (states_) states_->close(node, until);
    closings_.push_back({node, is_new ? now_ : before, until});
    ++started_ever_;
}

void Simulator::open_nodes() {
    std::erase_if(closed_, [this](const auto& closed) {
        const auto [node, until] = closed;
        if (until > now_) return false;
        const NodeRange own{node, node};
        releases_.remove(until, 1);
        pool_.give_back({&own, 1});
        if (states_) states_->open(node);
        note_freed(own);
        return true;
    });
}

bool Simulator::is_disturbed(JobIndex job, Time until) const {
    return calendar_.has_interval_before(demand(job).guest, until) ||
           calendar_.has_step_before(until);
}

const NodeSet* Simulator::barred(JobIndex job) const {
    const Time end = now_ + planned(job);
    const bool intervals = calendar_.bars(demand(job).guest, now_, end);
    const bool steps = calendar_.has_step_before(end);
    if (!intervals && !steps) return nullptr;
    barred_ = NodeSet(states_->machine().nodes(), {});
    if (intervals) calendar_.add_barred(demand(job).guest, now_, end, barred_);
    if (!steps) return &barred_;
    for (const Part& part : parts(job)) {
        const Share& share = states_->machine().share(part.share);
        states_->machine().set(part.set).for_each([&](NodeIndex node) {
            if (is_consumable(node) && !lasts(node, share.amounts[0], end)) barred_.add(node);
        });
    }
    return &barred_;
}

bool Simulator::lasts(NodeIndex consumable, Amount wanted, Time end) const {
    bool enough = true;
    calendar_.for_each_step(consumable, [&](const CapacityStep& step) {
        if (step.time >= end) return;
        Amount there = step.capacity;
        for (const NodeStates::Run& run : states_->runs(consumable)) {
            if (std::max(run.release, soonest_release()) <= step.time) continue;
            there -= states_->machine().share(run.share).amounts[0];
        }
        enough &= there >= wanted;
    });
    return enough;
}

Time Simulator::time_until_room(JobIndex job) const {
    const Time room_at = states_->room_at(parts(job), now_, soonest_release());
    if (room_at != kNever && !is_disturbed(job, room_at + planned(job))) return room_at - now_;
    const View view(const_cast<Simulator&>(*this));  // only to read
    return running_plan().earliest(view, job, now_).start - now_;
}

const NodePlan& Simulator::running_plan() const {
    running_plan_.rebuild(View(const_cast<Simulator&>(*this)));  // only to read
    return running_plan_;
}

}  // namespace schedlab
