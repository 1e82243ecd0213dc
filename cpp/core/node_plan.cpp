#include "core/node_plan.h"

#include <algorithm>
#include <cassert>

#include "core/view.h"

namespace schedlab {

void NodePlan::rebuild(const View& view) {
    gains_before_ = gains() + 1;
    gains_.clear();
    const auto& changes = view.node_states().changes();
    advance(view);
    bounds_.prepare(*machine_);
    if (nodes_.size() != changes.size()) {
        nodes_.resize(changes.size());
        changed_.assign(changes.size(), 1);
        built_from_.resize(changes.size());
    }
    // The expected end of an overdue job moves with the time, so all nodes are rebuilt.
    const bool all = overdue_ || view.overdue();
    overdue_ = view.overdue();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        if (!all && !changed_[node] && built_from_[node] == changes[node]) continue;
        rebuild(view, static_cast<NodeIndex>(node));
    }
}

void NodePlan::rebuild(const View& view, NodeIndex node) {
    const NodeStates& states = view.node_states();
    const std::size_t resources = machine_->resources();
    Steps& steps = nodes_[node];
    built_from_[node] = states.changes()[node];
    changed_[node] = 0;
    steps.time.assign(1, now_);
    steps.free.resize(resources);
    for (std::size_t r = 0; r < resources; ++r) steps.free[r] = states.free(r, node);
    for (const NodeStates::Run& run : states.runs(node)) {
        const Time release = std::max(run.release, view.soonest_release());
        if (steps.time.back() != release) {
            steps.time.push_back(release);
            const std::size_t last = steps.free.size() - resources;
            for (std::size_t r = 0; r < resources; ++r) steps.free.push_back(steps.free[last + r]);
        }
        const Share& share = machine_->share(run.share);
        Amount* last = steps.free.data() + steps.free.size() - resources;
        for (std::size_t r = 0; r < resources; ++r) last[r] += machine_->taken(share, run.gpus, r, node);
    }
    Amount capacity = states.free(0, node);
    for (const NodeStates::Run& run : states.runs(node)) {
        capacity += machine_->taken(machine_->share(run.share), run.gpus, 0, node);
    }
    view.calendar().for_each_step(node, [&](const CapacityStep& step) {
        const Amount more = step.capacity - capacity;
        capacity = step.capacity;
        for (std::size_t i = split(steps, step.time); i < steps.time.size(); ++i) {
            steps.free[i * resources] += more;
        }
    });
    set_bounds(node);
}

void NodePlan::reset_to(const NodePlan& other) {
    machine_ = other.machine_;
    now_ = other.now_;
    const bool all = overdue_ || other.overdue_;
    overdue_ = other.overdue_;
    bounds_.prepare(*machine_);
    nodes_.resize(other.nodes_.size());
    changed_.resize(nodes_.size(), 1);
    built_from_.resize(nodes_.size(), kNone);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        if (!all && !changed_[node] && !other.changed_[node] &&
            built_from_[node] == other.built_from_[node]) {
            continue;
        }
        nodes_[node] = other.nodes_[node];
        bounds_.copy(static_cast<NodeIndex>(node), other.bounds_);
        changed_[node] = other.changed_[node];
        built_from_[node] = other.built_from_[node];
    }
}

void NodePlan::advance(const View& view) {
    machine_ = view.machine_of_nodes();
    now_ = view.now();
}

void NodePlan::drop_past(Steps& steps) const {
    std::size_t past = 0;
    while (past + 1 < steps.time.size() && steps.time[past + 1] <= now_) ++past;
    if (past > 0) {
        const auto amounts = static_cast<std::ptrdiff_t>(past * machine_->resources());
        steps.time.erase(steps.time.begin(), steps.time.begin() + static_cast<std::ptrdiff_t>(past));
        steps.free.erase(steps.free.begin(), steps.free.begin() + amounts);
    }
    steps.time.front() = std::max(steps.time.front(), now_);
}

std::size_t NodePlan::split(Steps& steps, Time time) const {
    const auto at = std::lower_bound(steps.time.begin(), steps.time.end(), time);
    const auto step = at - steps.time.begin();
    if (at != steps.time.end() && *at == time) return static_cast<std::size_t>(step);
    assert(step > 0);
    const auto resources = static_cast<std::ptrdiff_t>(machine_->resources());
    steps.time.insert(at, time);
    const auto own = steps.free.insert(steps.free.begin() + step * resources,
                                       machine_->resources(), 0);
    std::copy_n(own - resources, resources, own);
    return static_cast<std::size_t>(step);
}

void NodePlan::change(NodeIndex node, Time start, Time end, const Share& share, GpuMask gpus,
                      int sign) {
    Steps& steps = nodes_[node];
    changed_[node] = 1;
    drop_past(steps);
    start = std::max(start, now_);
    if (start >= end) return;
    const std::size_t first = split(steps, start);
    const std::size_t last = split(steps, end);
    const std::size_t resources = machine_->resources();
    for (std::size_t step = first; step < last; ++step) {
        for (std::size_t r = 0; r < resources; ++r) {
            Amount& free = steps.free[step * resources + r];
            free += sign * machine_->taken(share, gpus, r, node);
        }
    }
    // Merges steps that do not differ from the one before; the later first, so that indices hold.
    for (const std::size_t step : {last, first}) {
        if (step == 0 || step >= steps.time.size()) continue;
        const auto own = steps.free.begin() + static_cast<std::ptrdiff_t>(step * resources);
        const auto width = static_cast<std::ptrdiff_t>(resources);
        if (!std::equal(own, own + width, own - width)) continue;
        steps.time.erase(steps.time.begin() + static_cast<std::ptrdiff_t>(step));
        steps.free.erase(own, own + width);
    }
    set_bounds(node);
}

void NodePlan::change(const View& view, JobIndex job, std::span<const NodeRange> nodes,
                      std::span<const GpuMask> gpus, Time start, Time end, int sign) {
    auto next = gpus.begin();
    for_each_node(nodes, view.parts(job), [&](NodeIndex node, const Part& part) {
        const GpuMask own = gpus.empty() ? 0 : *next++;
        change(node, start, end, machine_->share(part.share), own, sign);
    });
}

void NodePlan::hold(const View& view, JobIndex job, const Slot& slot, int sign) {
    const Time end = slot.start + view.planned(job);
    change(view, job, slot.nodes, slot.gpus, slot.start, end, sign);
    if (hold_ == Hold::shares || slot.start <= now_) return;
    // Take whole nodes, too: no share fits on a node of which more is taken than it has.
    for (const NodeRange range : slot.nodes) {
        for (NodeIndex node = range.first; node <= range.last; ++node) {
            if (view.is_consumable(node)) continue;
            change(node, slot.start, end, machine_->share(Machine::kWholeNode), 0, sign);
        }
    }
}

void NodePlan::reserve(const View& view, JobIndex job, const Slot& slot) {
    hold(view, job, slot, -1);
}

void NodePlan::release(const View& view, JobIndex job, const Slot& slot) {
    hold(view, job, slot, 1);
    note_gains(slot.nodes, slot.start, slot.start + view.planned(job));
}

void NodePlan::ended_early(const View& view, JobIndex job) {
    const Time end = view.expected_release(job);
    change(view, job, view.held_by(job), view.gpus_of(job), view.now(), end, 1);
    note_gains(view.held_by(job), view.now(), end);
}

void NodePlan::close(const View&, const Closing& closing) {
    change(closing.node, closing.from, closing.until, machine_->share(Machine::kWholeNode), 0, -1);
}

}  // namespace schedlab
