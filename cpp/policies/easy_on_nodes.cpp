#include "policies/easy_on_nodes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace schedlab {

void EasyOnNodes::begin(const View&) {
    guards_.clear();
    rooms_.clear();
    failures_.clear();
    considered_all_ = false;
}

void EasyOnNodes::schedule(View& view, Order* candidates, bool keys_may_move) {
    failures_.resize(view.demands());
    if (only_newcomers_matter(view, keys_may_move)) {
        try_newcomers(view, candidates);
    } else {
        pass(view, candidates);
    }
}

// When nothing came free and the heads are still the same, a job that could not start at the last
// pass cannot start now: the time before the shadows, the room and the spare nodes only shrink.
bool EasyOnNodes::only_newcomers_matter(const View& view, bool keys_may_move) const {
    const WaitingQueue& queue = view.queue();
    // As other jobs start, the GPUs that a job would take may change, and with them whether a head
    // can spare them.
    if (view.machine_of_nodes()->has_gpus()) return false;
    if (guards_.empty() || !view.completed().empty() || !view.cancelled().empty() ||
        view.plans_are_void() || view.machine_changed() || !considered_all_ || queue.size() > depth_ ||
        !std::isinf(max_priority_gap_)) {
        return false;
    }
    if (queue.job(queue.first()) == guards_[0].head() && guards_.size() == 1) return true;
    if (keys_may_move) return false;
    for (const JobIndex job : view.submitted()) {
        const Position position = queue.find(job);
        for (const NodeGuard& guard : guards_) {
            if (position < queue.find(guard.head())) return false;
        }
    }
    return true;
}

void EasyOnNodes::pass(View& view, Order* candidates) {
    const WaitingQueue& queue = view.queue();
    const Position end = queue.end_of_first(depth_);
    considered_all_ = end == queue.end();
    last_guards_.swap(guards_);
    guards_.clear();
    if (view.plans_are_void() || view.machine_changed()) ++guards_made_;
    head_keys_.clear();
    behind_.clear();
    skipped_.assign(view.demands(), 0);
    for (Position at = queue.first(); at < end; ++at) {
        at = queue.find_not_skipped(at, end, skipped_);
        if (at < end) consider(view, at, candidates);
    }
    if (candidates) try_behind(view, *candidates);
    std::erase_if(rooms_, [this](const HeadRooms& rooms) {
        return std::none_of(guards_.begin(), guards_.end(), [&](const NodeGuard& guard) {
            return guard.head() == rooms.head();
        });
    });
}

void EasyOnNodes::add_guard(View& view, JobIndex head) {
    auto rooms = std::find_if(rooms_.begin(), rooms_.end(),
                              [head](const HeadRooms& each) { return each.head() == head; });
    if (rooms == rooms_.end()) rooms = rooms_.insert(rooms_.end(), HeadRooms(head));
    rooms->update(view);
    guards_.emplace_back(view, *rooms);
    const std::size_t place = guards_.size() - 1;
    const bool same = place < last_guards_.size() &&
                      guards_[place].guards_the_same(last_guards_[place]);
    if (!same) ++guards_made_;
}

void EasyOnNodes::try_newcomers(View& view, Order* candidates) {
    const WaitingQueue& queue = view.queue();
    std::vector<Position> found;
    for (const JobIndex job : view.submitted()) {
        const Position position = queue.find(job);
        if (position < queue.end()) found.push_back(position);  // else withdrawn at once
    }
    std::sort(found.begin(), found.end());
    behind_.clear();
    skipped_.resize(view.demands(), 0);
    for (const Position position : found) consider(view, position, candidates);
    if (candidates) try_behind(view, *candidates);
}

void EasyOnNodes::consider(View& view, Position position, Order* candidates) {
    const JobIndex job = view.queue().job(position);
    bool has_rival = false;
    for (std::size_t i = 0; i < guards_.size(); ++i) {
        if (!guards_[i].competes_with(view, job)) continue;
        has_rival = true;
        if (view.queue().key(position) > head_keys_[i] + max_priority_gap_) return;
    }
    if (has_rival && tried_in_vain(view, job)) return;
    if (has_rival && !view.has_room(job)) {
        // Room and free nodes only shrink in a pass. A shorter job may be barred from fewer nodes.
        if (!view.barred(job)) skipped_[view.demand(job)] = 1;
    } else if (has_rival && candidates) {
        behind_.push_back(position);
    } else if (has_rival) {
        backfill(view, position);
    } else if (view.has_room(job)) {
        view.start(position);
    } else {
        add_guard(view, job);
        head_keys_.push_back(view.queue().key(position));
    }
}

void EasyOnNodes::try_behind(View& view, Order& candidates) {
    std::vector<WaitingJob> jobs;
    for (const Position position : behind_) jobs.push_back(view.waiting(position));
    std::vector<double> keys(jobs.size());
    candidates.keys(jobs, view.machine(), keys);
    std::vector<std::tuple<double, std::int64_t, Position>> ranked;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ranked.emplace_back(keys[i], jobs[i].arrival, behind_[i]);
    }
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [key, arrival, position] : ranked) backfill(view, position);
}

bool EasyOnNodes::tried_in_vain(const View& view, JobIndex job) {
    Failure& failure = failures_[view.demand(job)];
    if (failure.guards_made != guards_made_ || failure.guards > guards_.size() ||
        view.estimate(job) < failure.estimate || view.freed_since_helps(job, failure.freed)) {
        return false;
    }
    failure.freed = view.freed_ever();
    return true;
}

void EasyOnNodes::backfill(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    if (tried_in_vain(view, job) || !view.has_room(job)) return;
    late_.clear();
    for (NodeGuard& guard : guards_) {
        if (guard.is_late(view, job)) late_.push_back(&guard);
    }
    if (late_.empty()) {
        view.start(position);
        return;
    }
    NodePlan::Slot slot{view.now(), {}};
    if (choose(view, job, slot.nodes)) {
        for (const auto& [guard, loss] : losses_) guard->lose(loss);
        for (NodeGuard* guard : late_) {
            for_each_node(slot.nodes, view.parts(job), [&](NodeIndex node, const Part& part) {
                const Share& share = view.node_states().machine().share(part.share);
                guard->share(view, node, share, gpus_of(view, job, node, share));
            });
        }
        view.start(position, slot);
    } else if (view.parts(job).size() == 1 && !view.machine_of_nodes()->has_gpus()) {
        failures_[view.demand(job)] = {guards_made_, guards_.size(), view.estimate(job),
                                       view.freed_ever()};
    }
}

GpuMask EasyOnNodes::gpus_of(const View& view, JobIndex job, NodeIndex node, const Share& share) {
    if (share.gpus == 0) return 0;
    const NodeStates& states = view.node_states();
    states.copy_free(node, free_);
    return pick_gpus(view.place(), states.machine(), share, job, node, free_);
}

bool EasyOnNodes::choose(const View& view, JobIndex job, Placement& nodes) {
    const NodeStates& states = view.node_states();
    const NodeSet* barred = view.barred(job);
    losses_.clear();
    const auto affordable = [this](const NodeGuard* guard, std::size_t part) {
        const auto lost = std::count_if(losses_.begin(), losses_.end(), [&](const auto& each) {
            return each.first == guard && each.second.part == part;
        });
        return lost < guard->spare(part);
    };
    const auto take = [&](NodeIndex node, const Share& share) {
        for (NodeGuard* guard : late_) {
            const GpuMask gpus = gpus_of(view, job, node, share);
            const std::size_t part = guard->spoilt(view, node, share, gpus);
            if (part == NodeGuard::kNoPart) continue;
            if (!affordable(guard, part)) return false;
            losses_.push_back({guard, {part, node}});
            return true;  // heads have no node in common
        }
        return true;
    };
    for (const Part& part : view.parts(job)) {
        const Share& share = states.machine().share(part.share);
        const std::size_t first_own = nodes.size();
        NodeCount left = part.count;
        if (view.place()) {
            auto ranked = nodes_with_room(states, part, barred);
            if (ranked.size() > 1) view.place()->rank(asked_now(states, part, job), ranked);
            std::erase_if(ranked, [&](NodeIndex node) {
                if (left == 0 || !take(node, share)) return true;
                --left;
                return false;
            });
            std::sort(ranked.begin(), ranked.end());
            for (const NodeIndex node : ranked) append_node(node, first_own, nodes);
        }
        for (std::size_t word = 0; !view.place() && word < states.words() && left > 0; ++word) {
            const NodeIndex base = static_cast<NodeIndex>(word * kNodeBits);
            auto bits = states.fitting(word, part);
            if (barred) bits &= ~barred->word(word);
            for (; bits && left > 0; bits &= bits - 1) {
                const NodeIndex node = base + std::countr_zero(bits);
                if (!take(node, share)) continue;
                append_node(node, first_own, nodes);
                --left;
            }
        }
        if (left > 0) return false;
    }
    return true;
}

}  // namespace schedlab
