#include "core/node_replan.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/view.h"

namespace schedlab {
namespace {

bool same(const NodePlan::Slot& a, const NodePlan::Slot& b) {
    return a.start == b.start && std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(),
                                            b.nodes.end(), [](NodeRange x, NodeRange y) {
                                                return x.first == y.first && x.last == y.last;
                                            });
}

// Whether a job that is planned after others finds the same slot again where nothing has changed.
// With most places, or with named GPUs, the choice depends on how full nodes are; with a calendar
// it depends on the time.
bool may_keep(const View& view) {
    return !view.plans_are_void() && !view.place() && !view.machine_of_nodes()->has_gpus() &&
           view.calendar().empty();
}

}  // namespace

void NodeReplan::rebuild(const View& view) {
    asked_ = kNoJob;
    // Keep nothing where reservations hold whole nodes: they turn into shares when their jobs
    // start.
    const bool keeping = hold_ == Hold::shares && may_keep(view);
    const bool kept = std::exchange(keeping_, keeping) && keeping_;
    if (!kept) {
        planned_.clear();
        last_.clear();
        next_ = 0;
        NodePlan::rebuild(view);
        touched_.assign(nodes_.size(), 0);
    } else {
        if (log_.size() > kLogKept) {
            take_out(view);
            next_ = last_.size();
        }
        put_back(view);
        for (std::size_t i = pass_; i < log_.size(); ++i) touched_[log_[i]] = 0;
    }
    // Jobs that did not come up in the last pass may come up in this one.
    if (next_ == last_.size()) log_.clear();  // else those jobs need the nodes touched since
    pass_ = log_.size();
    for (Planned& own : planned_) own.since = pass_;
    planned_.insert(planned_.end(), std::make_move_iterator(last_.begin() + next_),
                    std::make_move_iterator(last_.end()));
    last_.swap(planned_);
    planned_.clear();
    next_ = 0;
    if (!kept) return;
    advance(view);
    const auto& changes = view.node_states().changes();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        if (built_from_[node] != changes[node]) touch(view, static_cast<NodeIndex>(node));
    }
}

template <typename Where>
void NodeReplan::change_where(const View& view, const Planned& own, int sign, Where where) {
    const Time start = own.slot.start, end = start + own.duration;
    for_each_node(own.slot.nodes, view.parts(own.job), [&](NodeIndex node, const Part& part) {
        if (where(node)) change(node, start, end, machine_->share(part.share), 0, sign);
    });
}

void NodeReplan::touch(const View& view, NodeIndex node) {
    if (touched_[node]) return;
    touched_[node] = 1;
    log_.push_back(node);
    if (apart_) return;
    NodePlan::rebuild(view, node);
    for (const Planned& own : planned_) {
        if (!holds(own.slot.nodes, node)) continue;
        change_where(view, own, -1, [node](NodeIndex each) { return each == node; });
    }
}

void NodeReplan::touch_all(const View& view, const Slot& slot) {
    for (const NodeRange range : slot.nodes) {
        for (NodeIndex node = range.first; node <= range.last; ++node) touch(view, node);
    }
}

void NodeReplan::take_out(const View& view) {
    if (apart_) return;
    apart_ = true;
    for (std::size_t i = next_; i < last_.size(); ++i) {
        change_where(view, last_[i], 1, [this](NodeIndex node) { return !touched_[node]; });
    }
}

void NodeReplan::put_back(const View& view) {
    // Touched nodes may then have more taken than they have; no search looks at them before they
    // are touched again.
    for (std::size_t i = next_; i < last_.size(); ++i) {
        change_where(view, last_[i], -1, [&](NodeIndex node) { return apart_ || touched_[node]; });
    }
    apart_ = false;
}

bool NodeReplan::skip_to(const View& view, JobIndex job) {
    const auto to_come = last_.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto own = std::find_if(to_come, last_.end(),
                                  [job](const Planned& each) { return each.job == job; });
    if (own == last_.end()) return false;
    for (; last_[next_].job != job; ++next_) touch_all(view, last_[next_].slot);
    return true;
}

NodePlan::Slot NodeReplan::search(const View& view, JobIndex job, Time from) {
    take_out(view);
    return earliest(view, job, from);
}

NodePlan::Slot NodeReplan::find(const View& view, JobIndex job) {
    return skip_to(view, job) ? find_again(view, last_[next_]) : search(view, job, now_);
}

NodePlan::Slot NodeReplan::find_again(const View& view, const Planned& last) {
    const Time start = last.slot.start;
    if (start < now_) return search(view, last.job, now_);
    for (std::size_t i = last.since; i < pass_; ++i) touch(view, log_[i]);
    const auto parts = view.parts(last.job);
    const bool single = parts.size() == 1 && parts.front().count == 1;
    Time first = start;  // first start that touched nodes may give; others give none earlier
    const NodeIndex highest = last.slot.nodes.back().last;
    NodeIndex on = highest;  // with `single`: the lowest node that gives it
    bool lower = false, lost = false;
    able_.clear();
    for (const Part& part : parts) {
        const Wish wish = this->wish(view, last.job, part);
        const NodeSet& set = machine_->set(part.set);
        for (std::size_t i = pass_; i < log_.size(); ++i) {
            const NodeIndex node = log_[i];
            if (!set.has(node)) continue;
            const bool own = holds(last.slot.nodes, node);
            const Time time = earliest_on(node, wish, now_, start);
            const bool able = time == start || (!single && time < start &&
                                                earliest_on(node, wish, start, start) == start);
            if (able) able_.push_back(node);
            lost |= own && !able;
            if (time > start) continue;
            lower |= !own && (parts.size() > 1 || node < highest);
            if (time < first || (time == first && node < on)) on = node;
            first = std::min(first, time);
        }
    }
    if (single && (first < start || !lost)) return {first, {{on, on}}};
    if (first < start) {
        take_out(view);
        Slot earlier = earliest(view, last.job, first, start - 1);
        if (earlier.start != kNever) return earlier;
    }
    if (!lower && !lost) return last.slot;
    if (parts.size() == 1 && !single) {
        Slot kept = keep_start(last.slot, parts.front().count);
        if (kept.start != kNever) return kept;
    }
    return search(view, last.job, start);
}

NodePlan::Slot NodeReplan::keep_start(const Slot& slot, NodeCount count) {
    for (const NodeRange range : slot.nodes) {
        for (NodeIndex node = range.first; node <= range.last; ++node) {
            if (!touched_[node]) able_.push_back(node);
        }
    }
    std::sort(able_.begin(), able_.end());
    // Nothing is known of untouched nodes with higher numbers than the slot's.
    if (std::ssize(able_) < count || able_[count - 1] > slot.nodes.back().last) return {kNever, {}};
    Slot kept{slot.start, {}};
    for (NodeCount i = 0; i < count; ++i) append_node(able_[i], 0, kept.nodes);
    return kept;
}

void NodeReplan::reserve(const View& view, JobIndex job, const Slot& slot) {
    if (!keeping_) return NodePlan::reserve(view, job, slot);
    const bool known = skip_to(view, job);
    if (!known || !same(last_[next_].slot, slot)) {
        if (known) touch_all(view, last_[next_].slot);
        touch_all(view, slot);
    }
    planned_.push_back({job, view.planned(job), slot, asked_ == job, pass_});
    change_where(view, planned_.back(), -1,
                 [this](NodeIndex node) { return apart_ || touched_[node]; });
    next_ += known;
    asked_ = kNoJob;
}

NodePlan::Slot NodeReplan::reserve_earliest(const View& view, JobIndex job) {
    if (!keeping_) return NodePlan::reserve_earliest(view, job);
    Slot slot = asked_ == job ? std::move(found_) : find(view, job);
    reserve(view, job, slot);
    return slot;
}

bool NodeReplan::fits_now(const View& view, JobIndex job, Slot& slot) {
    if (!keeping_) return NodePlan::fits_now(view, job, slot);
    found_ = find(view, job);
    asked_ = job;
    if (found_.start != now_) return false;
    slot = found_;
    return true;
}

Time NodeReplan::free_for(const View& view, JobIndex job) {
    if (keeping_) take_out(view);
    return NodePlan::free_for(view, job);
}

void NodeReplan::started(const View& view) {
    if (!keeping_) return;
    for (const NodeRange range : planned_.back().slot.nodes) {
        for (NodeIndex node = range.first; node <= range.last; ++node) {
            built_from_[node] = view.node_states().changes()[node];
        }
    }
    planned_.pop_back();
}

bool NodeReplan::may_have_new_room(const View& view, JobIndex job) const {
    const bool known = keeping_ && next_ < last_.size() && last_[next_].job == job;
    if (!known || !last_[next_].asked) return true;
    const auto parts = view.parts(job);
    return std::any_of(log_.begin() + pass_, log_.end(), [&](NodeIndex node) {
        return view.node_states().any_fits({node, node}, parts);
    });
}

void NodeReplan::restart(const View& view, const NodePlan& plain, JobIndex started,
                         const Slot& slot) {
    reset_to(plain);
    asked_ = kNoJob;
    if (!keeping_) return;
    apart_ = true;  // from here on touching a node changes no plan
    if (skip_to(view, started)) touch_all(view, last_[next_++].slot);
    touch_all(view, slot);
    last_.erase(last_.begin(), last_.begin() + static_cast<std::ptrdiff_t>(next_));
    last_.insert(last_.begin(), std::make_move_iterator(planned_.begin() + 1),
                 std::make_move_iterator(planned_.end()));
    planned_.erase(planned_.begin() + 1, planned_.end());
    next_ = 0;
}

}  // namespace schedlab
