#include "core/node_states.h"

#include <algorithm>
#include <cassert>

namespace schedlab {
namespace {

// Which of these 64 amounts are at least `wanted`, as bits.
std::uint64_t at_least(const Amount* amounts, Amount wanted) {
    std::uint64_t bits = 0;
    for (int first = 0; first < kNodeBits; first += 8) {
        std::uint64_t some = 0;
        for (int i = 0; i < 8; ++i) {
            some |= static_cast<std::uint64_t>(amounts[first + i] >= wanted) << i;
        }
        bits |= some << first;
    }
    return bits;
}

}  // namespace

NodeStates::NodeStates(std::shared_ptr<const Machine> machine)
    : machine_(std::move(machine)),
      free_(machine_->resources() * words() * kNodeBits, -1),
      runs_(static_cast<std::size_t>(machine_->nodes())),
      changes_(static_cast<std::size_t>(machine_->nodes()), 0),
      most_free_(machine_->resources() * words(), kUnknown) {
    for (std::size_t r = 0; r < machine_->resources(); ++r) {
        for (NodeIndex node = 0; node < machine_->nodes(); ++node) {
            free_[column(r) + static_cast<std::size_t>(node)] = machine_->capacity(r, node);
        }
    }
}

bool NodeStates::fits(NodeIndex node, const Share& share) const {
    if (share.exclusive) return idle(node);
    for (std::size_t r = 0; r < share.amounts.size(); ++r) {
        if (free(r, node) < share.amounts[r]) return false;
    }
    return machine_->gpus_fit(share, [&](std::size_t r) { return free(r, node); });
}

void NodeStates::copy_free(NodeIndex node, std::vector<Amount>& amounts) const {
    amounts.resize(machine_->resources());
    for (std::size_t r = 0; r < amounts.size(); ++r) amounts[r] = free(r, node);
}

bool NodeStates::any_fits(NodeRange nodes, std::span<const Part> parts) const {
    for (NodeIndex node = nodes.first; node <= nodes.last; ++node) {
        for (const Part& part : parts) {
            if (machine_->set(part.set).has(node) && fits(node, machine_->share(part.share))) {
                return true;
            }
        }
    }
    return false;
}

Amount NodeStates::most_free(std::size_t resource, std::size_t word) const {
    Amount& most = most_free_[resource * words() + word];
    if (most != kUnknown) return most;
    const Amount* first = free_.data() + column(resource) + word * kNodeBits;
    most = *std::max_element(first, first + kNodeBits);
    return most;
}

std::uint64_t NodeStates::fitting(std::size_t word, const Part& part) const {
    const Share& share = machine_->share(part.share);
    std::uint64_t bits = machine_->set(part.set).word(word);
    if (!bits) return 0;
    if (share.exclusive) {
        const NodeIndex base = static_cast<NodeIndex>(word * kNodeBits);
        for (std::uint64_t left = bits; left; left &= left - 1) {
            const int bit = std::countr_zero(left);
            if (!idle(base + bit)) bits &= ~(1ULL << bit);
        }
        return bits;
    }
    for (std::size_t r = 0; r < share.amounts.size(); ++r) {
        const Amount wanted = share.amounts[r];
        if (wanted == 0) continue;
        if (most_free(r, word) < wanted) return 0;
        bits &= at_least(free_.data() + column(r) + word * kNodeBits, wanted);
        if (!bits) return 0;
    }
    for (std::uint64_t left = share.gpus > 0 ? bits : 0; left; left &= left - 1) {
        const int bit = std::countr_zero(left);
        const NodeIndex node = static_cast<NodeIndex>(word * kNodeBits) + bit;
        const auto there = [&](std::size_t r) { return free(r, node); };
        if (!machine_->gpus_fit(share, there)) bits &= ~(1ULL << bit);
    }
    return bits;
}

NodeCount NodeStates::count_fitting(const Part& part, const NodeSet* avoid) const {
    NodeCount found = 0;
    for (std::size_t word = 0; word < words() && found < part.count; ++word) {
        std::uint64_t bits = fitting(word, part);
        if (avoid) bits &= ~avoid->word(word);
        found += std::popcount(bits);
    }
    return found;
}

bool NodeStates::has_room(std::span<const Part> parts, const NodeSet* avoid) const {
    return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        return count_fitting(part, avoid) >= part.count;
    });
}

bool NodeStates::choose(std::span<const Part> parts, Placement& nodes,
                        const NodeSet* avoid) const {
    const std::size_t before = nodes.size();
    for (const Part& part : parts) {
        const std::size_t first_own = nodes.size();
        NodeCount left = part.count;
        for (std::size_t word = 0; word < words() && left > 0; ++word) {
            std::uint64_t bits = fitting(word, part);
            if (avoid) bits &= ~avoid->word(word);
            const NodeCount there = std::popcount(bits);
            if (there > left) bits = lowest_bits(bits, left);
            append_ranges(bits, static_cast<NodeIndex>(word * kNodeBits), first_own, nodes);
            left -= std::min(left, there);
        }
        if (left > 0) {
            nodes.resize(before);
            return false;
        }
    }
    return true;
}

void NodeStates::change(NodeIndex node, const Share& share, GpuMask gpus, int sign) {
    const std::size_t word = static_cast<std::size_t>(node) / kNodeBits;
    ++changes_[node];
    for (std::size_t r = 0; r < machine_->resources(); ++r) {
        const Amount by = machine_->taken(share, gpus, r, node);
        if (by == 0) continue;
        Amount& free = free_[column(r) + static_cast<std::size_t>(node)];
        Amount& most = most_free_[r * words() + word];
        if (sign < 0) {
            if (most == free) most = kUnknown;
            free -= by;
        } else {
            free += by;
            if (most != kUnknown) most = std::max(most, free);
        }
    }
}

void NodeStates::hold(std::span<const NodeRange> nodes, std::span<const Part> parts, JobIndex job,
                      Time release, std::span<const GpuMask> gpus) {
    auto next = gpus.begin();
    for_each_node(nodes, parts, [&](NodeIndex node, const Part& part) {
        const GpuMask own = gpus.empty() ? 0 : *next++;
        change(node, machine_->share(part.share), own, -1);
        add_run(node, {release, job, part.share, own});
    });
}

void NodeStates::renumber(std::span<const JobIndex> jobs) {
    for (auto& runs : runs_) {
        for (Run& run : runs) {
            if (run.job != kNoJob) run.job = place_among(jobs, run.job);
        }
    }
}

void NodeStates::add_run(NodeIndex node, Run run) {
    auto& runs = runs_[node];
    const auto later = std::upper_bound(runs.begin(), runs.end(), run.release,
                                        [](Time t, const Run& r) { return t < r.release; });
    runs.insert(later, run);
}

void NodeStates::close(NodeIndex node, Time until) {
    assert(idle(node));
    change(node, machine_->share(Machine::kWholeNode), 0, -1);
    add_run(node, {until, kNoJob, Machine::kWholeNode, 0});
}

void NodeStates::open(NodeIndex node) {
    assert(runs_[node].size() == 1 && runs_[node].front().job == kNoJob);
    runs_[node].clear();
    change(node, machine_->share(Machine::kWholeNode), 0, 1);
}

void NodeStates::add_capacity(NodeIndex node, Amount more) {
    free_[column(0) + static_cast<std::size_t>(node)] += more;
    most_free_[static_cast<std::size_t>(node) / kNodeBits] = kUnknown;
    ++changes_[node];
}

void NodeStates::leave(std::span<const NodeRange> nodes, std::span<const Part> parts,
                       JobIndex job) {
    for_each_node(nodes, parts, [&](NodeIndex node, const Part& part) {
        auto& runs = runs_[node];
        const auto own = std::find_if(runs.begin(), runs.end(),
                                      [job](const Run& run) { return run.job == job; });
        assert(own != runs.end());
        const GpuMask gpus = own->gpus;
        runs.erase(own);
        change(node, machine_->share(part.share), gpus, 1);
    });
}

Time NodeStates::release_for_gpus(NodeIndex node, const Share& share) const {
    std::vector<Amount> there;
    copy_free(node, there);
    const auto enough = [&] {
        for (std::size_t r = 0; r < share.amounts.size(); ++r) {
            if (there[r] < share.amounts[r]) return false;
        }
        return machine_->gpus_fit(share, [&](std::size_t r) { return there[r]; });
    };
    if (enough()) return kNone;
    for (const Run& run : runs_[node]) {
        const Share& held = machine_->share(run.share);
        for (std::size_t r = 0; r < there.size(); ++r) {
            there[r] += machine_->taken(held, run.gpus, r, node);
        }
        if (enough()) return run.release;
    }
    return kNever;
}

Time NodeStates::release_for(NodeIndex node, const Share& share) const {
    const auto& runs = runs_[node];
    if (share.gpus > 0) return release_for_gpus(node, share);
    if (share.exclusive) return runs.empty() ? kNone : runs.back().release;
    Time time = kNone;
    for (std::size_t r = 0; r < share.amounts.size(); ++r) {
        Amount there = free(r, node);
        if (there >= share.amounts[r]) continue;
        const auto last = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
            there += machine_->taken(machine_->share(run.share), run.gpus, r, node);
            return there >= share.amounts[r];
        });
        if (last == runs.end()) return kNever;
        time = std::max(time, last->release);
    }
    return time;
}

Time NodeStates::room_at(std::span<const Part> parts, Time now, Time soonest) const {
    Time latest = now;
    for (const Part& part : parts) {
        const Share& share = machine_->share(part.share);
        times_.clear();
        machine_->set(part.set).for_each([&](NodeIndex node) {
            times_.push_back(release_for(node, share));
        });
        const auto last = times_.begin() + (part.count - 1);
        std::nth_element(times_.begin(), last, times_.end());
        if (*last != kNone) latest = std::max({latest, *last, soonest});
    }
    return latest;
}

}  // namespace schedlab
