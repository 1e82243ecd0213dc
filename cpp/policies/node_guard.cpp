#include "policies/node_guard.h"

#include <algorithm>

namespace schedlab {

NodeGuard::NodeGuard(View& view, JobIndex head) : head_(head) {
    const NodeStates& states = view.node_states();
    const Machine& machine = states.machine();
    const Time now = view.now(), soonest = view.soonest_release();
    std::vector<std::vector<NodeStates::Room>> rooms;
    shadow_ = states.room_at(view.parts(head), now, soonest, &rooms);
    view.promise(head, shadow_);
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        const Part& part = view.parts(head)[i];
        NodeSet usable(machine.nodes(), {});
        for (const NodeStates::Room& room : rooms[i]) {
            if (room.time <= shadow_) usable.add(room.node);
        }
        spare_.push_back(usable.count() - part.count);
        usable_.push_back(std::move(usable));
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

std::size_t NodeGuard::spoilt(const View& view, NodeIndex node, const Share& taken) const {
    const auto parts = view.parts(head_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!usable_[i].has(node)) continue;
        const Share& own = view.node_states().machine().share(parts[i].share);
        if (own.exclusive || taken.exclusive) return i;
        const Amount* left = left_over(view, node, own);
        for (std::size_t r = 0; r < taken.amounts.size(); ++r) {
            if (taken.amounts[r] > left[r]) return i;
        }
        return kNoPart;
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
        for (std::size_t r = 0; r < resources; ++r) left[r] += machine.taken(share, r, node);
    }
    return left;
}

void NodeGuard::share(const View& view, NodeIndex node, const Share& taken) {
    const auto parts = view.parts(head_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!usable_[i].has(node)) continue;
        Amount* left = left_over(view, node, view.node_states().machine().share(parts[i].share));
        for (std::size_t r = 0; r < taken.amounts.size(); ++r) left[r] -= taken.amounts[r];
    }
}

void NodeGuard::lose(Loss loss) {
    usable_[loss.part].remove(loss.node);
    --spare_[loss.part];
}

}  // namespace schedlab
