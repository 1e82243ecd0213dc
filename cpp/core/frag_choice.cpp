#include "core/frag_choice.h"

#include <algorithm>
#include <cmath>

namespace schedlab {
namespace {

constexpr std::size_t kMostKnown = 1 << 20;

}  // namespace

FragChoice::FragChoice(std::shared_ptr<const Machine> machine, std::vector<Kind> kinds)
    : machine_(std::move(machine)), kinds_(std::move(kinds)) {
    for (const Kind& kind : kinds_) jobs_ += kind.jobs;
    std::map<std::vector<bool>, Amount> classes;
    for (NodeIndex node = 0; node < machine_->nodes(); ++node) {
        std::vector<bool> in;
        for (const Kind& kind : kinds_) in.push_back(machine_->set(kind.set).has(node));
        const auto next = static_cast<Amount>(classes.size());
        class_of_.push_back(classes.emplace(std::move(in), next).first->second);
    }
}

std::size_t FragChoice::Hash::operator()(const std::vector<Amount>& amounts) const {
    std::size_t hash = 0;
    for (const Amount amount : amounts) {
        hash = (hash ^ static_cast<std::size_t>(amount)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32;
    }
    return hash;
}

std::int64_t FragChoice::count_fragments(NodeIndex node, std::span<const Amount> free) const {
    const auto gpus = free.subspan(machine_->gpu_begin());
    Amount total = 0;
    for (const Amount gpu : gpus) total += gpu;
    if (total == 0) return 0;
    std::int64_t sum = 0;
    for (const Kind& kind : kinds_) {
        const Share& share = machine_->share(kind.share);
        bool fits = share.gpus > 0 && machine_->set(kind.set).has(node);
        for (std::size_t r = 0; fits && r < machine_->gpu_begin(); ++r) {
            fits = free[r] >= share.amounts[r];
        }
        fits = fits && machine_->gpus_fit(share, [&](std::size_t r) { return free[r]; });
        Amount lost = total;
        for (auto gpu = share.gpu_first; fits && gpu < share.gpu_last; ++gpu) {
            const Amount there = gpus[static_cast<std::size_t>(gpu)];
            if (there >= share.milli) lost -= there;
        }
        sum += kind.jobs * lost;
    }
    return sum;
}

std::int64_t FragChoice::fragments(NodeIndex node, std::span<const Amount> free) const {
    std::vector<Amount> key(free.begin(), free.end());
    key.push_back(class_of_[node]);
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    if (known_.size() >= kMostKnown) known_.clear();
    return known_[std::move(key)] = count_fragments(node, free);
}

int FragChoice::score(const AskedPart& asked, GpuMask gpus) const {
    std::vector<Amount> after(asked.free.begin(), asked.free.end());
    for (std::size_t r = 0; r < after.size(); ++r) {
        after[r] -= machine_->taken(asked.share, gpus, r, asked.node);
    }
    const auto saved = fragments(asked.node, asked.free) - fragments(asked.node, after);
    const double of_gpus = static_cast<double>(saved) / static_cast<double>(kWholeGpu * jobs_);
    return static_cast<int>(100.0 / (1.0 + std::exp(-of_gpus)));
}

int FragChoice::pick(const AskedPart& asked, std::span<const int> able) const {
    int best = able.front(), most = -1;
    for (const int gpu : able) {
        const int own = score(asked, GpuMask{1} << gpu);
        if (own <= most) continue;
        best = gpu;
        most = own;
    }
    return best;
}

void FragChoice::rank(const Asked& asked, std::vector<NodeIndex>& nodes) const {
    if (jobs_ == 0) return;
    std::vector<std::pair<int, NodeIndex>> scored;
    for (const NodeIndex node : nodes) {
        const auto free = asked.free(node);
        const GpuMask gpus = pick_gpus(this, asked.machine, asked.share, asked.job, node, free);
        scored.emplace_back(
            -score({asked.job, node, asked.machine, asked.share, free}, gpus), node);
    }
    std::sort(scored.begin(), scored.end());
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = scored[i].second;
}

}  // namespace schedlab
