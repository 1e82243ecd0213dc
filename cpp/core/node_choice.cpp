#include "core/node_choice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/mix.h"

namespace schedlab {
namespace {

// Sorts by (score, number).
template <typename Score, typename ScoreOf>
void sort_by(std::vector<NodeIndex>& nodes, ScoreOf score_of) {
    std::vector<std::pair<Score, NodeIndex>> scored;
    scored.reserve(nodes.size());
    for (const NodeIndex node : nodes) scored.emplace_back(score_of(node), node);
    std::sort(scored.begin(), scored.end());
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = scored[i].second;
}

}  // namespace

void FitChoice::rank(const Asked& asked, std::vector<NodeIndex>& nodes) const {
    sort_by<double>(nodes, [&](NodeIndex node) {
        double sum = 0;
        const auto amounts = asked.free(node);
        for (const Kind& kind : kinds_) {
            Amount free = 0;
            for (const std::size_t resource : kind.resources) free += amounts[resource];
            sum += static_cast<double>(free) / static_cast<double>(kind.most);
        }
        return least_ ? sum : -sum;
    });
}

int NodeChoice::pick(const AskedPart& asked, std::span<const int> able) const {
    return fullest(asked, able);
}

int fullest(const AskedPart& asked, std::span<const int> able) {
    const Amount* gpus = asked.free.data() + asked.machine.gpu_begin();
    return *std::min_element(able.begin(), able.end(),
                             [gpus](int one, int other) { return gpus[one] < gpus[other]; });
}

int FitChoice::pick(const AskedPart& asked, std::span<const int> able) const {
    if (least_) return fullest(asked, able);
    const Amount* gpus = asked.free.data() + asked.machine.gpu_begin();
    return *std::max_element(able.begin(), able.end(),
                             [gpus](int one, int other) { return gpus[one] < gpus[other]; });
}

std::uint64_t RandomChoice::of(JobIndex job) const {
    const auto place = static_cast<std::size_t>(job);
    const JobIndex counts = place < jobs_.size() ? jobs_[place] : job;
    return mix(mix(seed_) ^ static_cast<std::uint64_t>(counts));
}

std::shared_ptr<const NodeChoice> RandomChoice::renumbered(std::vector<JobIndex> jobs) const {
    for (JobIndex& job : jobs) {
        if (static_cast<std::size_t>(job) < jobs_.size()) job = jobs_[job];
    }
    return std::make_shared<RandomChoice>(seed_, std::move(jobs));
}

int RandomChoice::pick(const AskedPart& asked, std::span<const int> able) const {
    const std::uint64_t of_node = mix(of(asked.job) ^ static_cast<std::uint64_t>(asked.node));
    return *std::min_element(able.begin(), able.end(), [of_node](int one, int other) {
        return mix(of_node ^ static_cast<std::uint64_t>(one)) <
               mix(of_node ^ static_cast<std::uint64_t>(other));
    });
}

GpuMask pick_gpus(const NodeChoice* place, const Machine& machine, const Share& share,
                  JobIndex job, NodeIndex node, std::span<const Amount> free) {
    if (share.gpus == 0) return 0;
    std::vector<int> able;
    for (int gpu = share.gpu_first; gpu < share.gpu_last; ++gpu) {
        if (free[machine.gpu_begin() + static_cast<std::size_t>(gpu)] >= share.milli) {
            able.push_back(gpu);
        }
    }
    if (share.milli < kWholeGpu) {
        const AskedPart asked{job, node, machine, share, free};
        return GpuMask{1} << (place ? place->pick(asked, able) : fullest(asked, able));
    }
    GpuMask mask = 0;
    for (int i = 0; i < share.gpus; ++i) mask |= GpuMask{1} << able[static_cast<std::size_t>(i)];
    return mask;
}

void WeightChoice::rank(const Asked&, std::vector<NodeIndex>& nodes) const {
    sort_by<std::int64_t>(nodes, [this](NodeIndex node) { return weights_[node]; });
}

void SwitchChoice::rank(const Asked& asked, std::vector<NodeIndex>& nodes) const {
    std::map<std::int64_t, std::vector<NodeIndex>> by_switch;
    for (const NodeIndex node : nodes) by_switch[switches_[node]].push_back(node);
    std::vector<std::vector<NodeIndex>> groups;
    for (auto& [_, group] : by_switch) groups.push_back(std::move(group));
    std::sort(groups.begin(), groups.end());  // by their lowest node
    nodes.clear();
    while (!groups.empty()) {
        const auto wanted = static_cast<std::ptrdiff_t>(asked.count) -
                            static_cast<std::ptrdiff_t>(nodes.size());
        const auto enough = [wanted](const auto& group) {
            return static_cast<std::ptrdiff_t>(group.size()) >= wanted;
        };
        const bool one_does = wanted > 0 && std::any_of(groups.begin(), groups.end(), enough);
        auto best = groups.end();
        for (auto each = groups.begin(); each != groups.end(); ++each) {
            if (one_does && !enough(*each)) continue;
            const bool better = best == groups.end() || (one_does ? each->size() < best->size()
                                                                  : each->size() > best->size());
            if (better) best = each;
        }
        nodes.insert(nodes.end(), best->begin(), best->end());
        groups.erase(best);
    }
}

void RandomChoice::rank(const Asked& asked, std::vector<NodeIndex>& nodes) const {
    const std::uint64_t of_job = of(asked.job);
    sort_by<std::uint64_t>(
        nodes, [&](NodeIndex node) { return mix(of_job ^ static_cast<std::uint64_t>(node)); });
}

bool take_first(const NodeChoice& choice, const Asked& asked, std::vector<NodeIndex> nodes,
                Placement& placement) {
    const auto count = static_cast<std::size_t>(asked.count);
    if (nodes.size() < count) return false;
    if (nodes.size() > count) {
        choice.rank(asked, nodes);
        nodes.resize(count);
        std::sort(nodes.begin(), nodes.end());
    }
    const std::size_t first_own = placement.size();
    for (const NodeIndex node : nodes) append_node(node, first_own, placement);
    return true;
}

std::vector<NodeIndex> nodes_with_room(const NodeStates& states, const Part& part,
                                       const NodeSet* avoid) {
    std::vector<NodeIndex> nodes;
    for (std::size_t word = 0; word < states.words(); ++word) {
        const auto base = static_cast<NodeIndex>(word * kNodeBits);
        auto bits = states.fitting(word, part);
        if (avoid) bits &= ~avoid->word(word);
        for (; bits; bits &= bits - 1) {
            nodes.push_back(base + std::countr_zero(bits));
        }
    }
    return nodes;
}

Asked asked_now(const NodeStates& states, const Part& part, JobIndex job) {
    return {job, states.machine(), states.machine().share(part.share), part.count,
            [&states, amounts = std::vector<Amount>()](NodeIndex node) mutable {
                states.copy_free(node, amounts);
                return std::span<const Amount>(amounts);
            }};
}

bool choose_now(const NodeChoice& choice, const NodeStates& states, std::span<const Part> parts,
                JobIndex job, Placement& placement, const NodeSet* avoid) {
    const std::size_t before = placement.size();
    for (const Part& part : parts) {
        if (take_first(choice, asked_now(states, part, job), nodes_with_room(states, part, avoid),
                       placement)) {
            continue;
        }
        placement.resize(before);
        return false;
    }
    return true;
}

}  // namespace schedlab
