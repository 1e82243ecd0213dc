// Moves planned jobs earlier where nodes have gained room.
//
// When a job got its slot, there was no earlier start for it. If there is one now, it uses a node
// that has gained room since then, during the time gained. Nothing else is searched, and what the
// gains open is computed once for all jobs that need the same of a node.

#include <algorithm>

#include "core/node_plan.h"
#include "core/view.h"

namespace schedlab {

void NodePlan::note_gains(std::span<const NodeRange> nodes, Time begin, Time end) {
    if (gains_.size() > kGainsKept) {
        gains_before_ = gains();
        gains_.clear();
    }
    last_gain_.resize(nodes_.size(), 0);
    for (const NodeRange range : nodes) {
        for (NodeIndex node = range.first; node <= range.last; ++node) {
            last_gain_[node] = gains();
            gains_.push_back({node, begin, end});
        }
    }
}

NodePlan::Chance NodePlan::earliest_on_gains(const NodeSet& set, const Wish& wish,
                                             std::int64_t since, Time limit) const {
    Chance best;
    for (auto at = since - gains_before_; at < std::ssize(gains_); ++at) {
        const Gain& gain = gains_[static_cast<std::size_t>(at)];
        const Time from = std::max(now_, gain.begin - wish.duration + 1);
        const Time latest = std::min({best.start, limit, gain.end - 1});
        if (from > latest || !set.has(gain.node)) continue;
        const Time start = earliest_on(gain.node, wish, from, latest);
        if (start == kNever || (start == best.start && gain.node > best.node)) continue;
        best = {start, gain.node};
    }
    return best;
}

void NodePlan::add_openings(Openings& known) const {
    const NodeSet& set = machine_->set(known.set);
    const Share& share = machine_->share(known.share);
    for (; known.until < gains(); ++known.until) {
        const Gain& gain = gains_[static_cast<std::size_t>(known.until - gains_before_)];
        if (!set.has(gain.node)) continue;
        const Steps& steps = nodes_[gain.node];
        const auto fits_at = [&](std::size_t step) {
            return fits(gain.node, steps.free.data() + step * machine_->resources(), share);
        };
        const std::size_t now = step_at(steps, now_);
        std::size_t step = step_at(steps, std::max(gain.begin, now_));
        while (step > now && fits_at(step) && fits_at(step - 1)) --step;
        for (; step < steps.time.size() && steps.time[step] < gain.end; ++step) {
            if (!fits_at(step)) continue;
            const Time begin = steps.time[step];
            while (++step < steps.time.size() && fits_at(step)) {}
            const Time end = step < steps.time.size() ? steps.time[step] : kNever;
            known.all.push_back({begin, end, gain.begin, known.until});
        }
    }
}

NodePlan::Openings& NodePlan::openings(const Part& part, std::int64_t seen) const {
    openings_.resize(kOpenings);
    Openings& known = openings_[static_cast<std::size_t>(part.share + 97 * part.set) % kOpenings];
    const bool same = known.set == part.set && known.share == part.share;
    const bool stale = gains() - known.since > 64 + 2 * (gains() - seen);
    if (!same || known.since > seen || known.since < gains_before_ || stale) {
        known.set = part.set;
        known.share = part.share;
        open(known, seen);
    } else {
        add_openings(known);
    }
    return known;
}

void NodePlan::open(Openings& known, std::int64_t since) const {
    known.since = known.until = since;
    known.all.clear();
    add_openings(known);
}

NodePlan::Starts NodePlan::new_starts(const View& view, JobIndex job, const Slot& slot) const {
    const Time duration = view.planned(job);
    const Time limit = slot.start - 1;
    Starts found;
    for (const Part& part : view.parts(job)) {
        Openings& known = openings(part, slot.gains_seen);
        Starts own;
        for (const Opening& each : known.all) {
            if (each.gain < slot.gains_seen) continue;
            const Time first = std::max({now_, each.begin, each.gained - duration + 1});
            const Time last = std::min(limit, each.end - duration);
            if (first <= last) own.add(first, last);
        }
        if (own.first == kNever) continue;
        const Chance best = earliest_on_gains(machine_->set(part.set), wish(view, job, part),
                                              slot.gains_seen, limit);
        if (best.start == kNever) {
            open(known, slot.gains_seen);  // other jobs have taken that room
        } else {
            found.add(own.first, own.last);
        }
    }
    add_starts_on_own(view, job, slot, found);
    return found;
}

bool NodePlan::gained(std::span<const NodeRange> nodes, std::int64_t since) const {
    if (since == gains()) return false;
    for (const NodeRange range : nodes) {
        for (NodeIndex node = range.first; node <= range.last; ++node) {
            if (last_gain_[node] >= since) return true;
        }
    }
    return false;
}

void NodePlan::add_starts_on_own(const View& view, JobIndex job, const Slot& slot,
                                 Starts& found) const {
    if (!gained(slot.nodes, slot.gains_seen)) return;
    const Time duration = view.planned(job);
    for (auto at = slot.gains_seen - gains_before_; at < std::ssize(gains_); ++at) {
        const Gain& gain = gains_[static_cast<std::size_t>(at)];
        if (!holds(slot.nodes, gain.node)) continue;
        for (const Part& part : view.parts(job)) {
            const Time begin = room_since(gain.node, machine_->share(part.share), slot.start);
            const Time first = std::max(begin, gain.begin - duration + 1);
            const Time last = std::min(slot.start, gain.end) - 1;
            if (first <= last) found.add(first, last);
        }
    }
}

Time NodePlan::room_since(NodeIndex node, const Share& share, Time end) const {
    const Steps& steps = nodes_[node];
    Time begin = end;
    for (std::size_t step = step_at(steps, end); begin > now_; --step) {
        if (steps.time[step] == begin) continue;  // this step begins at the end
        if (!fits(node, steps.free.data() + step * machine_->resources(), share)) break;
        begin = std::max(now_, steps.time[step]);
    }
    return begin;
}

// Needs the job's own slot to be free.
NodePlan::Slot NodePlan::find_earlier(const View& view, JobIndex job, const Slot& slot,
                                      const Starts& starts) const {
    const auto parts = view.parts(job);
    const bool one_node = parts.size() == 1 && parts.front().count == 1;
    if (!one_node || view.place() || slot.gains_seen < gains_before_) {
        return earliest(view, job, starts.first, starts.last);
    }
    const Part& part = parts.front();
    const Chance best = earliest_on_gains(machine_->set(part.set), wish(view, job, part),
                                          slot.gains_seen, starts.last);
    if (best.start == kNever) return {kNever, {}};
    Slot found{best.start, {{best.node, best.node}}};
    name_gpus(view, job, found);
    return found;
}

bool NodePlan::move_earlier(const View& view, JobIndex job, Slot& slot) {
    bool earlier = false;
    const bool forgotten = slot.gains_seen < gains_before_;
    const Starts starts = forgotten ? Starts{now_, slot.start - 1} : new_starts(view, job, slot);
    if (starts.first <= starts.last) {
        const Time end = slot.start + view.planned(job);
        change(view, job, slot.nodes, slot.gpus, slot.start, end, 1);
        Slot found = find_earlier(view, job, slot, starts);
        earlier = found.start != kNever;
        if (earlier) {
            note_gains(slot.nodes, slot.start, end);
            slot = std::move(found);
        }
        reserve(view, job, slot);
    }
    slot.gains_seen = gains();
    return earlier;
}

}  // namespace schedlab
