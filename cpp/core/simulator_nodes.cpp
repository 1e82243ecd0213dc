// The nodes of a simulation: which jobs hold them, and which waiting jobs have room.

#include <algorithm>
#include <cassert>

#include "core/simulator.h"
#include "core/view.h"

namespace schedlab {

void Simulator::start(WaitingQueue::Position position, std::span<const NodeRange> avoid) {
    const NodeCount nodes = queue_.nodes(position);
    assert(queue_.waits(position) && has_room(queue_.job(position)));
    const std::size_t ranges_begin = ranges_.size();
    if (states_) {
        const JobIndex job = queue_.job(position);
        [[maybe_unused]] const bool chosen = choose(job, ranges_);
        assert(chosen && avoid.empty());
    } else if (avoid.empty()) {
        pool_.take(nodes, ranges_);
    } else {
        pool_.take(nodes, ranges_, avoid);
    }
    begin_run(position, ranges_begin);
}

bool Simulator::choose(JobIndex job, Placement& nodes) const {
    const NodeSet* closed = barred(job);
    if (!options_.place) return states_->choose(parts(job), nodes, closed);
    return choose_now(*options_.place, *states_, parts(job), job, nodes, closed);
}

void Simulator::start_on(WaitingQueue::Position position, std::span<const NodeRange> nodes,
                         std::span<const GpuMask> gpus) {
    assert(queue_.waits(position));
    const std::size_t ranges_begin = ranges_.size();
    if (one_pool()) pool_.take(nodes);
    ranges_.insert(ranges_.end(), nodes.begin(), nodes.end());
    begin_run(position, ranges_begin, gpus);
}

void Simulator::begin_run(WaitingQueue::Position position, std::size_t ranges_begin,
                          std::span<const GpuMask> gpus) {
    const JobIndex job = queue_.job(position);
    if (!progress_.empty()) {
        progress_[job].arrival = queue_.arrival(position);
        progress_[job].begun = progress_[job].saved;
    }
    queue_.remove(position);
    start_[job] = now_;
    end_[job] = now_ + run_time(job) - saved(job);
    ranges_begin_[job] = ranges_begin;
    ranges_count_[job] = static_cast<std::int32_t>(ranges_.size() - ranges_begin);
    events_[EventKind::end].push({end_[job], job});
    started_.push_back(job);
    expect_release(job);
    if (eligibility_) eligibility_->started(job, now_, events_[EventKind::submission]);
    if (!states_) return;
    if (options_.machine->has_gpus()) {
        gpus_.resize(table_->size());
        gpus_[job] = gpus.empty() ? choose_gpus(job, held_by(job))
                                  : std::vector<GpuMask>(gpus.begin(), gpus.end());
    }
    hold_nodes(job);
    if (!progress_.empty()) unbind(job);
}

std::vector<GpuMask> Simulator::choose_gpus(JobIndex job, std::span<const NodeRange> nodes) const {
    std::vector<GpuMask> chosen;
    if (!options_.machine->has_gpus()) return chosen;
    std::vector<Amount> free;
    for_each_node(nodes, parts(job), [&](NodeIndex node, const Part& part) {
        states_->copy_free(node, free);
        const Share& share = options_.machine->share(part.share);
        chosen.push_back(pick_gpus(options_.place.get(), *options_.machine, share, job, node, free));
    });
    return chosen;
}

void Simulator::hold_nodes(JobIndex job) {
    ++started_ever_;
    for_each_node(held_by(job), parts(job), [this](NodeIndex node, const Part&) {
        const NodeRange own{node, node};
        if (!is_consumable(node) && states_->idle(node)) pool_.take({&own, 1});
    });
    states_->hold(held_by(job), parts(job), job, release_time(job), gpus_of(job));
}

void Simulator::release_nodes(JobIndex job) {
    if (one_pool()) {
        pool_.give_back(nodes_of(job));
        return;
    }
    states_->leave(held_by(job), parts(job), job);
    for (const NodeRange range : held_by(job)) note_freed(range);
    for_each_node(held_by(job), parts(job), [this](NodeIndex node, const Part&) {
        const NodeRange own{node, node};
        if (!is_consumable(node) && states_->idle(node)) pool_.give_back({&own, 1});
    });
}

void Simulator::note_freed(NodeRange nodes) {
    if (freed_.size() > kFreedKept) {
        freed_before_ = freed_ever();
        freed_.clear();
    }
    freed_.push_back(nodes);
}

void Simulator::expect_release(JobIndex job) {
    releases_.add(release_time(job), table_->nodes[job]);
    if (expected_run_[job] < table_->request[job] - saved(job)) {
        events_[EventKind::correction].push({release_time(job), job});
    }
}

void Simulator::promise(JobIndex job, Time time) {
    if (promised_[job] == kNone) promised_[job] = time;
}

bool Simulator::freed_since_helps(JobIndex job, std::int64_t since) const {
    if (since < freed_before_) return true;  // these nodes are forgotten
    return std::any_of(freed_.begin() + (since - freed_before_), freed_.end(),
                       [&](NodeRange range) { return states_->any_fits(range, parts(job)); });
}

bool Simulator::has_room_on_nodes(JobIndex job) const {
    const auto demand = static_cast<std::size_t>(table_->demand[job]);
    if (no_room_.size() <= demand) no_room_.resize(table_->demands.size(), kNone);
    if (roomy_.size() <= demand) roomy_.resize(table_->demands.size(), kNone);
    std::int64_t& full_since = no_room_[demand];
    const std::int64_t freed = freed_ever();
    // A job that had no room needs a node that came free since.
    if (full_since != kNone && !freed_since_helps(job, full_since)) {
        full_since = freed;
        return false;
    }
    if (const NodeSet* closed = barred(job)) return states_->has_room(parts(job), closed);
    if (roomy_[demand] == started_ever_) return true;  // nodes that came free only help
    const bool room = states_->has_room(parts(job));
    full_since = room ? kNone : freed;
    if (room) roomy_[demand] = started_ever_;
    return room;
}

void Simulator::make_plan() {
    if (plan_.made) return;
    plan_.made = true;
    std::visit([this](auto& plan) { plan.rebuild(View(*this)); }, plan_.plan);
}

template <typename Added>
std::int32_t Simulator::add_to_machine(Added added) {
    auto machine = std::make_shared<Machine>(*options_.machine);
    const std::int32_t place = machine->add(std::move(added));
    options_.machine = machine;
    states_->set_machine(std::move(machine));
    return place;
}

std::int32_t Simulator::place_of(NodeSet set) { return add_to_machine(std::move(set)); }
std::int32_t Simulator::place_of(Share share) { return add_to_machine(std::move(share)); }

}  // namespace schedlab
