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

Selector::Selector(const Site& site) : site_(site), near_gpus_(site.nodes.size()) {
    for (const NodeRow& node : site.nodes) {
        all_free_.push_back({node.cpus * node.rows, node.gpus, node.memory_mb});
    }
    const Nodes all = Nodes::all(site.node_count());
    for (const ShapeRow& shape : site.shapes) {
        Nodes able(site.node_count(), {}), but_gpus = able;
        places_of(shape, all).for_each([&](NodeIndex node) {
            Room room = all_free_[node];
            if (offer(shape, node, room, 0) > 0) able.add(node);
            room.gpus = shape.gpus;
            if (offer(shape, node, room, 0) > 0) but_gpus.add(node);
        });
        capable_.push_back(std::move(able));
        capable_but_gpus_.push_back(std::move(but_gpus));
    }
}

void Selector::forget_gpus(const ShapeRow& shape, const Nodes& barred) const {
    capable_but_gpus(shape).for_each([&](NodeIndex node) {
        if (!barred.has(node)) near_gpus_[node] = 0;
    });
}

void Selector::test(const ShapeRow& shape) const {
    forget_gpus(shape, Nodes(site_.node_count(), {}));
    if (shape.gpus == 0) return;
    places_of(shape, site_.partitions[shape.partition].nodes).for_each([&](NodeIndex node) {
        note_gpus(shape, node, all_free_[node]);
    });
}

const Nodes& Selector::places_of(const ShapeRow& shape, const Nodes& allowed) const {
    places_ = allowed;
    places_.keep(site_.partitions[shape.partition].nodes);
    if (shape.features != kNobody) places_.keep(site_.features[shape.features]);
    return places_;
}

bool Selector::wants_all_of_one(const ShapeRow& shape) const {
    return is_bound(shape) && shape.needed_nodes() == 1;
}

bool Selector::ever(const ShapeRow& shape, const Nodes& barred) const {
    Nodes allowed = site_.partitions[shape.partition].nodes;
    allowed.remove(barred);
    return pick(shape, all_free_, allowed).has_value();
}

bool Selector::could(const ShapeRow& shape, const Nodes& barred) const {
    const std::vector<std::int32_t> before = near_gpus_;
    const bool found = ever(shape, barred);
    near_gpus_ = before;
    return found;
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
        found.push_back({nodes[at], cpus, memory_of(shape, cpus), shape.gpus,
                         site_.partitions[shape.partition].level});
    }
    return found;
}

Amounts Selector::holds(const ShapeRow& shape, const std::vector<NodeShare>& shares) const {
    Amounts found{};
    for (const NodeShare& each : shares) {
        found[kCpu] += each.cpus;
        found[kMemory] += each.memory_mb;
        found[kNode] += 1;
        found[kGpu] += each.gpus;
    }
    const std::vector<double>& weights = site_.partitions[shape.partition].billing;
    found[kBilling] = weights.empty() ? found[kCpu] : 0;
    for (std::size_t at = 0; at < weights.size(); ++at) {
        const double part = weights[at] * found[at];
        found[kBilling] =
            site_.settings.bills_most ? std::max(found[kBilling], part) : found[kBilling] + part;
    }
    return found;
}

bool Selector::has_memory(const ShapeRow& shape, std::int32_t cpus, const Room& room) const {
    return !site_.settings.counts_memory || memory_of(shape, cpus) <= room.memory_mb;
}

std::int32_t Selector::offer(const ShapeRow& shape, NodeIndex node, const Room& room,
                             std::int32_t row) const {
    if (room.gpus < shape.gpus) return 0;
    if (shape.exclusive) {
        const std::int32_t all = site_.nodes[node].cpus;
        return room.cpus == all_free_[node].cpus && has_memory(shape, all, room) ? all : 0;
    }
    const std::int32_t free = free_cpus(node, room, row);
    const std::int32_t step = shape.cpus_per_task;
    const std::int32_t together = std::min(shape.tasks_per_node, shape.tasks) * step;
    const std::int32_t least = together ? together : step;
    std::int32_t cpus = shape.tasks_per_node ? least : std::min(free, shape.cpus());
    cpus -= cpus % step;
    if (!shape.memory_per_cpu && !has_memory(shape, cpus, room)) return 0;
    while (cpus >= least && !has_memory(shape, cpus, room)) cpus -= step;
    return least <= cpus && cpus <= free ? cpus : 0;
}

Picked Selector::choose(const ShapeRow& shape, std::vector<Offer>& group) const {
    const auto needed = static_cast<std::size_t>(shape.needed_nodes());
    for (;;) {
        std::int64_t all = 0;
        for (const Offer& each : group) all += each.cpus;
        if (group.size() < needed || all < shape.cpus() || group.empty()) return {};
        if (Picked found = by_weight(shape, group)) return found;
        const std::int32_t least =
            std::min_element(group.begin(), group.end(), [](const Offer& a, const Offer& b) {
                return a.cpus < b.cpus;
            })->cpus;
        std::erase_if(group, [least](const Offer& each) { return each.cpus <= least; });
    }
}

Picked Selector::by_weight(const ShapeRow& shape, const std::vector<Offer>& offers) const {
    const std::int64_t needed = shape.needed_nodes();
    // There are few weights, and together their nodes are enough: no need to sort.
    std::int64_t nodes = 0, cpus = 0;
    Weight heaviest = kLightest;  // of those that are looked at
    while (nodes < needed || cpus < shape.cpus()) {
        Weight next = kHeaviest;
        for (const Offer& each : offers) {
            const Weight own = each.weight;
            if (heaviest < own && own < next) next = own;
        }
        heaviest = next;
        for (const Offer& each : offers) {
            if (each.weight != heaviest) continue;
            ++nodes;
            cpus += each.cpus;
        }
    }
    first_.clear();
    rest_.clear();
    for (const Offer& each : offers) {
        const Weight own = each.weight;
        if (own < heaviest) first_.push_back(each);
        if (own == heaviest) rest_.push_back(each);
    }
    return leaf_by_leaf(shape);
}

Picked Selector::leaf_by_leaf(const ShapeRow& shape) const {
    const std::vector<Offer>& first = first_;
    std::vector<Offer>& rest = rest_;
    std::vector<NodeIndex> found;
    std::int64_t nodes = shape.needed_nodes(), cpus = shape.cpus();
    const std::size_t most = is_bound(shape) ? static_cast<std::size_t>(nodes)
                                             : std::numeric_limits<std::size_t>::max();
    for (const Offer& each : first) {
        found.push_back(each.node);
        --nodes;
        cpus -= each.cpus;
    }
    // The nodes by leaf switch, in the order of topology.conf; or by runs of neighbours, which
    // are searched again when nodes have been taken.
    const bool has_tree = site_.settings.has_tree;
    const auto leaf_of = [this](const Offer& each) { return site_.nodes[each.node].leaf; };
    const auto comes_before = [&](const Offer& a, const Offer& b) { return leaf_of(a) < leaf_of(b); };
    if (has_tree && !std::is_sorted(rest.begin(), rest.end(), comes_before)) {
        std::stable_sort(rest.begin(), rest.end(), comes_before);
    }
    const auto is_new_leaf = [&](std::size_t at) {
        if (!has_tree) return rest[at].node != rest[at - 1].node + 1;
        return leaf_of(rest[at]) != leaf_of(rest[at - 1]);
    };
    const auto is_begun = [&](const Offer& each) {
        return has_tree && std::any_of(first.begin(), first.end(), [&](const Offer& own) {
                   return leaf_of(own) == leaf_of(each);
               });
    };
    while (nodes > 0 || cpus > 0) {
        // A leaf that already has chosen nodes; else the smallest that is enough; else the largest.
        std::size_t best = 0, best_size = 0, large = 0, large_size = 0;
        for (std::size_t at = 0; at < rest.size();) {
            std::size_t end = at;
            std::int64_t sum = 0;
            do sum += rest[end++].cpus;
            while (end < rest.size() && !is_new_leaf(end));
            const std::size_t size = end - at;
            if (is_begun(rest[at])) {
                best = at, best_size = size;
                break;
            }
            const bool enough = static_cast<std::int64_t>(size) >= nodes && sum >= cpus;
            if (enough && (best_size == 0 || size < best_size)) best = at, best_size = size;
            if (size > large_size) large = at, large_size = size;
            at = end;
        }
        const std::size_t begin = best_size ? best : large;
        const std::size_t size = best_size ? best_size : large_size;
        if (size == 0) return {};
        std::size_t taken = 0;
        for (; taken < size && (nodes > 0 || cpus > 0); ++taken) {
            found.push_back(rest[begin + taken].node);
            --nodes;
            cpus -= rest[begin + taken].cpus;
        }
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
                   rest.begin() + static_cast<std::ptrdiff_t>(begin + taken));
    }
    if (found.size() > most) return {};
    return found;
}

}  // namespace schedlab::slurm
