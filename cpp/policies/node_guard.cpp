#include "policies/node_guard.h"

#include <algorithm>

namespace schedlab {

void HeadRooms::update(const View& view) {
    const NodeStates& states = view.node_states();
    const Machine& machine = states.machine();
    const auto parts = view.parts(head_);
    const auto& changes = states.changes();
    if (seen_.empty()) {
        seen_.assign(changes.size(), -1);
        release_.assign(parts.size(), std::vector<Time>(changes.size(), kNever));
    }
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (seen_[i] == changes[i]) continue;
        seen_[i] = changes[i];
        const auto node = static_cast<NodeIndex>(i);
        for (std::size_t part = 0; part < parts.size(); ++part) {
            if (!machine.set(parts[part].set).has(node)) continue;
            release_[part][i] = states.release_for(node, machine.share(parts[part].share));
        }
    }
}

Time HeadRooms::shadow(const View& view) const {
    Time latest = view.now();
    for (std::size_t part = 0; part < release_.size(); ++part) {
        times_ = release_[part];
        const auto last = times_.begin() + (view.parts(head_)[part].count - 1);
        std::nth_element(times_.begin(), last, times_.end());
        if (*last != kNone) latest = std::max({latest, *last, view.soonest_release()});
    }
    return latest;
}

NodeSet HeadRooms::usable(const View& view, std::size_t part, Time shadow) const {
    const auto& release = release_[part];
    const Time by = view.soonest_release() > shadow ? kNone : shadow;
    NodeSet usable(static_cast<NodeCount>(release.size()), {});
    for (std::size_t node = 0; node < release.size(); ++node) {
        if (release[node] <= by) usable.add(static_cast<NodeIndex>(node));
    }
    return usable;
}

NodeGuard::NodeGuard(View& view, const HeadRooms& rooms)
    : head_(rooms.head()), shadow_(rooms.shadow(view)) {
    if (shadow_ == kNever || view.is_disturbed(head_, shadow_ + view.planned(head_))) {
        guard_as(view, view.running_plan());
    } else {
        guard_as(view, rooms);
    }
    view.promise(head_, shadow_);
    const auto parts = view.parts(head_);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        spare_.push_back(usable_[part].count() - parts[part].count);
    }
}

void NodeGuard::guard_as(const View& view, const HeadRooms& rooms) {
    for (std::size_t part = 0; part < view.parts(head_).size(); ++part) {
        usable_.push_back(rooms.usable(view, part, shadow_));
    }
}

void NodeGuard::guard_as(const View& view, const NodePlan& plan) {
    shadow_ = plan.earliest(view, head_, view.now()).start;
    for (const Part& part : view.parts(head_)) {
        usable_.push_back(plan.usable_from(view, head_, part, shadow_));
        const Share& own = view.node_states().machine().share(part.share);
        usable_.back().for_each([&](NodeIndex node) {
            if (!view.is_consumable(node)) return;
            const Amount least = plan.least_free(node, shadow_, view.planned(head_))[0];
            left_over(view, node, own)[0] = least - own.amounts[0];
        });
    }
}

bool NodeGuard::competes_with(const View& view, JobIndex job) const {
    const Machine& machine = view.node_states().machine();
    for (const Part& own : view.parts(head_)) {
        for (const Part& part : view.parts(job)) {
            if (machine.meet(own.set, part.set)) return true;
        }
    }
    return false;
}

std::size_t NodeGuard::spoilt(const View& view, NodeIndex node, const Share& taken,
                              GpuMask gpus) const {
    const Machine& machine = view.node_states().machine();
    const auto parts = view.parts(head_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!usable_[i].has(node)) continue;
        const Share& own = machine.share(parts[i].share);
        if (own.exclusive || taken.exclusive) return i;
        const Amount* left = left_over(view, node, own);
        for (std::size_t r = 0; r < taken.amounts.size(); ++r) {
            if (taken.amounts[r] > left[r]) return i;
        }
        const auto then = [&](std::size_t r) {
            return left[r] - machine.taken(taken, gpus, r, node);
        };
        return machine.gpus_fit(own, then) ? kNoPart : i;
    }
    return kNoPart;
}

Amount* NodeGuard::left_over(const View& view, NodeIndex node, const Share& own) const {
    const NodeStates& states = view.node_states();
    const Machine& machine = states.machine();
    const std::size_t resources = machine.resources();
    if (left_over_.empty()) {
        left_over_.resize(resources * static_cast<std::size_t>(machine.nodes()));
        is_found_ = NodeSet(machine.nodes(), {});
    }
    Amount* left = left_over_.data() + resources * static_cast<std::size_t>(node);
    if (is_found_.has(node)) return left;
    is_found_.add(node);
    for (std::size_t r = 0; r < resources; ++r) left[r] = states.free(r, node) - own.amounts[r];
    for (const NodeStates::Run& run : states.runs(node)) {
        if (std::max(run.release, view.soonest_release()) > shadow_) break;
        const Share& share = machine.share(run.share);
        for (std::size_t r = 0; r < resources; ++r) left[r] += machine.taken(share, run.gpus, r, node);
    }
    return left;
}

void NodeGuard::share(const View& view, NodeIndex node, const Share& taken, GpuMask gpus) {
    const Machine& machine = view.node_states().machine();
    const auto parts = view.parts(head_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!usable_[i].has(node)) continue;
        Amount* left = left_over(view, node, machine.share(parts[i].share));
        for (std::size_t r = 0; r < taken.amounts.size(); ++r) {
            left[r] -= machine.taken(taken, gpus, r, node);
        }
    }
}

void NodeGuard::lose(Loss loss) {
    usable_[loss.part].remove(loss.node);
    --spare_[loss.part];
}

}  // namespace schedlab
