#include "policies/node_guard.h"

namespace schedlab {

NodeGuard::NodeGuard(View& view, JobIndex head) : head_(head) {
    const NodeStates& states = view.node_states();
    const Machine& machine = states.machine();
    const Time now = view.now(), soonest = view.soonest_release();
    shadow_ = states.room_at(view.parts(head), now, soonest);
    view.promise(head, shadow_);
    for (const Part& part : view.parts(head)) {
        const Share& share = machine.share(part.share);
        NodeSet usable(machine.nodes(), {});
        machine.set(part.set).for_each([&](NodeIndex node) {
            if (states.room_at(node, share, now, soonest) <= shadow_) usable.add(node);
        });
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
        return fits_beside(view, node, own, taken) ? kNoPart : i;
    }
    return kNoPart;
}

bool NodeGuard::fits_beside(const View& view, NodeIndex node, const Share& own,
                            const Share& taken) const {
    if (own.exclusive || taken.exclusive) return false;
    const NodeStates& states = view.node_states();
    const auto then = states.free_at(node, shadow_, view.soonest_release());
    for (std::size_t r = 0; r < then.size(); ++r) {
        if (then[r] - taken.amounts[r] < own.amounts[r]) return false;
    }
    return true;
}

void NodeGuard::lose(Loss loss) {
    usable_[loss.part].remove(loss.node);
    --spare_[loss.part];
}

}  // namespace schedlab
