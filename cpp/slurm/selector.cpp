#include "slurm/selector.h"

#include <algorithm>
#include <limits>

namespace schedlab::slurm {
namespace {

double memory_of(const ShapeRow& shape, std::int32_t cpus) {
    return shape.memory_per_cpu ? shape.memory_mb * cpus : shape.memory_mb;
}

// Whether the job must not have more nodes than it needs.
bool is_bound(const ShapeRow& shape) { return shape.tasks_per_node || shape.min_nodes; }

}  // namespace

Selector::Selector(const Site& site) : site_(site) {
    for (const NodeRow& node : site.nodes) {
        all_free_.push_back({node.cpus, node.memory_mb, node.gpus});
        weights_.push_back(node.weight);
    }
    std::sort(weights_.begin(), weights_.end());
    weights_.erase(std::unique(weights_.begin(), weights_.end()), weights_.end());
    for (const ShapeRow& shape : site.shapes) {
        Nodes& able = capable_.emplace_back(site.node_count(), std::span<const NodeRange>{});
        places_of(shape, Nodes::all(site.node_count())).for_each([&](NodeIndex node) {
            if (offer(shape, node, all_free_[node]) > 0) able.add(node);
        });
    }
}

Nodes Selector::places_of(const ShapeRow& shape, const Nodes& allowed) const {
    Nodes found = allowed;
    found.keep(site_.partitions[shape.partition].nodes);
    if (shape.features != kNobody) found.keep(site_.features[shape.features]);
    return found;
}

bool Selector::is_useful(const ShapeRow& shape, NodeIndex node, const Room& room) const {
    const std::int32_t cpus = offer(shape, node, room);
    const bool is_alone = is_bound(shape) && shape.needed_nodes() == 1;
    return cpus > 0 && (!is_alone || cpus >= shape.cpus());
}

Picked Selector::choose_by_weight(const ShapeRow& shape, const std::vector<Offer>& offers) const {
    if (offers.size() < static_cast<std::size_t>(shape.needed_nodes())) return {};
    std::vector<Offer> group;
    for (const std::int32_t weight : weights_) {
        const std::size_t before = group.size();
        for (const Offer& each : offers) {
            if (site_.nodes[each.node].weight == weight) group.push_back(each);
        }
        if (group.size() == before) continue;
        std::inplace_merge(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(before),
                           group.end(),
                           [](const Offer& a, const Offer& b) { return a.node < b.node; });
        if (Picked found = choose(shape, group)) return found;
    }
    return {};
}

bool Selector::ever(const ShapeRow& shape, const Nodes& barred) const {
    Nodes allowed = site_.partitions[shape.partition].nodes;
    allowed.remove(barred);
    return pick(shape, all_free_, allowed).has_value();
}

std::vector<NodeShare> Selector::shares(const ShapeRow& shape,
                                        std::vector<NodeIndex> nodes) const {
    std::sort(nodes.begin(), nodes.end());
    std::vector<NodeShare> found;
    std::int32_t left = shape.cpus();
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        const auto rest = static_cast<std::int32_t>(nodes.size() - at - 1);
        const std::int32_t all = site_.nodes[nodes[at]].cpus;
        const std::int32_t most = shape.tasks_per_node ? shape.tasks_per_node * shape.cpus_per_task : all;
        std::int32_t cpus = std::max(1, std::min({most, all, left - rest * shape.cpus_per_task}));
        left -= cpus;
        if (shape.exclusive) cpus = all;
        found.push_back({nodes[at], cpus, memory_of(shape, cpus), shape.gpus});
    }
    return found;
}

Amounts Selector::holds(const std::vector<NodeShare>& shares) {
    Amounts found{};
    for (const NodeShare& each : shares) {
        found[kCpu] += each.cpus;
        found[kMemory] += each.memory_mb;
        found[kNode] += 1;
        found[kGpu] += each.gpus;
    }
    found[kBilling] = found[kCpu];
    return found;
}

bool Selector::has_memory(const ShapeRow& shape, std::int32_t cpus, const Room& room) const {
    return !site_.settings.counts_memory || memory_of(shape, cpus) <= room.memory_mb;
}

std::int32_t Selector::offer(const ShapeRow& shape, NodeIndex node,
                             const Room& room) const {
    if (room.gpus < shape.gpus) return 0;
    if (shape.exclusive) {
        const std::int32_t all = site_.nodes[node].cpus;
        return room.cpus == all && has_memory(shape, all, room) ? all : 0;
    }
    const std::int32_t step = shape.cpus_per_task;
    const std::int32_t together = std::min(shape.tasks_per_node, shape.tasks) * step;
    const std::int32_t least = together ? together : step;
    std::int32_t cpus = shape.tasks_per_node ? least : std::min(room.cpus, shape.cpus());
    cpus -= cpus % step;
    if (!shape.memory_per_cpu && !has_memory(shape, cpus, room)) return 0;
    while (cpus >= least && !has_memory(shape, cpus, room)) cpus -= step;
    return least <= cpus && cpus <= room.cpus ? cpus : 0;
}

Picked Selector::choose(const ShapeRow& shape, std::vector<Offer> group) const {
    const auto needed = static_cast<std::size_t>(shape.needed_nodes());
    for (;;) {
        std::int64_t all = 0;
        for (const Offer& each : group) all += each.cpus;
        if (group.size() < needed || all < shape.cpus() || group.empty()) return {};
        if (Picked found = leaf_by_leaf(shape, group)) return found;
        const std::int32_t least =
            std::min_element(group.begin(), group.end(), [](const Offer& a, const Offer& b) {
                return a.cpus < b.cpus;
            })->cpus;
        std::erase_if(group, [least](const Offer& each) { return each.cpus <= least; });
    }
}

Picked Selector::leaf_by_leaf(const ShapeRow& shape, const std::vector<Offer>& offers) const {
    // The nodes by leaf switch, in the order of topology.conf; or by runs of neighbours, which
    // are looked for again when nodes have been taken.
    std::vector<Offer> rest = offers;
    std::vector<NodeIndex> found;
    std::int64_t nodes = shape.needed_nodes(), cpus = shape.cpus();
    const std::size_t most = is_bound(shape) ? static_cast<std::size_t>(nodes)
                                             : std::numeric_limits<std::size_t>::max();
    if (site_.settings.has_tree) {
        std::stable_sort(rest.begin(), rest.end(), [this](const Offer& a, const Offer& b) {
            return site_.nodes[a.node].leaf < site_.nodes[b.node].leaf;
        });
    }
    const auto is_new_leaf = [&](std::size_t at) {
        if (at == 0) return true;
        if (!site_.settings.has_tree) return rest[at].node != rest[at - 1].node + 1;
        return site_.nodes[rest[at].node].leaf != site_.nodes[rest[at - 1].node].leaf;
    };
    while (nodes > 0 || cpus > 0) {
        std::size_t best = 0, best_size = 0;     // the smallest that is enough
        std::size_t large = 0, large_size = 0;   // the largest
        for (std::size_t at = 0; at < rest.size();) {
            std::size_t end = at;
            std::int64_t sum = 0;
            do sum += rest[end++].cpus;
            while (end < rest.size() && !is_new_leaf(end));
            const std::size_t size = end - at;
            const bool enough = static_cast<std::int64_t>(size) >= nodes && sum >= cpus;
            if (enough && (best_size == 0 || size < best_size)) best = at, best_size = size;
            if (size > large_size) large = at, large_size = size;
            at = end;
        }
        if (large_size == 0) return {};
        const std::size_t first = best_size ? best : large;
        const std::size_t size = best_size ? best_size : large_size;
        std::size_t taken = 0;
        for (; taken < size && (nodes > 0 || cpus > 0); ++taken) {
            found.push_back(rest[first + taken].node);
            --nodes;
            cpus -= rest[first + taken].cpus;
        }
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first),
                   rest.begin() + static_cast<std::ptrdiff_t>(first + taken));
    }
    if (found.size() > most) return {};
    return found;
}

}  // namespace schedlab::slurm
