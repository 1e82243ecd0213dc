#include "slurm/preempting.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace schedlab::slurm {
namespace {

std::size_t common(const TwinJob& job, const std::vector<NodeIndex>& nodes) {
    return static_cast<std::size_t>(
        std::count_if(job.shares.begin(), job.shares.end(), [&](const NodeShare& share) {
            return std::find(nodes.begin(), nodes.end(), share.node) != nodes.end();
        }));
}

}  // namespace

Preempting::Preempting(const Site& site, const Selector& selector)
    : site_(site), selector_(selector), lowest_tier_(std::numeric_limits<std::int32_t>::max()) {
    for (const PartitionRow& each : site.partitions) {
        lowest_tier_ = std::min(lowest_tier_, each.tier);
    }
    // Ranks go by tier, behind reservations.
    follows_rank_ = site.settings.preempts_by_tier &&
                    std::all_of(site.jobs.begin(), site.jobs.end(), [](const JobRow& job) {
                        return job.places.size() == 1 && job.reservation == kNobody;
                    });
}

bool Preempting::may_preempt_any(const JobRow& job, const PlaceRow& place) const {
    if (!is_on()) return false;
    if (site_.settings.preempts_by_tier) {
        return site_.partitions[place.partition].tier > lowest_tier_;
    }
    return job.qos != kNobody && !site_.qos_preempts[job.qos].empty();
}

bool Preempting::may_preempt(const JobRow& job, const PlaceRow& place, const JobRow& other) const {
    if (!is_on()) return false;
    if (site_.settings.preempts_by_tier) {
        const std::int32_t own = site_.partitions[place.partition].tier;
        return std::all_of(other.places.begin(), other.places.end(), [&](const PlaceRow& each) {
            return own > site_.partitions[each.partition].tier;
        });
    }
    if (job.qos == kNobody) return false;
    const auto& preempts = site_.qos_preempts[job.qos];
    return std::find(preempts.begin(), preempts.end(), other.qos) != preempts.end();
}

std::optional<Preempting::Room> Preempting::victims(const TwinJob& job, const PlaceRow& place,
                                                    const Rooms& rooms, const Nodes& allowed,
                                                    std::span<TwinJob* const> running,
                                                    Moment now) const {
    if (!may_preempt_any(*job.row, place)) return {};
    const Nodes& inside = site_.partitions[place.partition].nodes;
    std::vector<TwinJob*> ranked;
    for (TwinJob* other : running) {
        const bool is_there =
            std::any_of(other->shares.begin(), other->shares.end(),
                        [&](const NodeShare& share) { return inside.has(share.node); });
        const bool is_exempt =
            now - other->start < static_cast<double>(site_.settings.exempt_time_s);
        if (is_there && !is_exempt && may_preempt(*job.row, place, *other->row)) {
            ranked.push_back(other);
        }
    }
    rank(ranked);
    std::optional<Room> found;
    for (std::int64_t turn = 0; turn <= site_.settings.preempt_reorder_count; ++turn) {
        auto next = trial(site_.shape(place), rooms, allowed, ranked);
        if (!next) break;
        found = std::move(next);
        // In the next turn, the removed jobs that hold most of the found nodes come first.
        const auto overlap = [&](TwinJob* other) {
            const auto& removed = found->victims;
            const bool is_removed =
                std::find(removed.begin(), removed.end(), other) != removed.end();
            return is_removed ? common(*other, found->nodes) : 0;
        };
        std::stable_sort(ranked.begin(), ranked.end(), [&](TwinJob* one, TwinJob* other) {
            return overlap(one) > overlap(other);
        });
    }
    if (!found) return {};
    std::erase_if(found->victims,
                  [&](TwinJob* other) { return common(*other, found->nodes) == 0; });
    return found;
}

std::optional<Preempting::Room> Preempting::trial(const ShapeRow& shape, Rooms rooms, const Nodes& allowed,
                                                  const std::vector<TwinJob*>& ranked) const {
    for (std::size_t at = 0; at < ranked.size(); ++at) {
        for (const NodeShare& share : ranked[at]->shares) rooms[share.node].give(share);
        if (Picked nodes = selector_.pick(shape, rooms, allowed)) {
            const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(at + 1);
            return Room{std::move(*nodes), {ranked.begin(), end}};
        }
    }
    return {};
}

void Preempting::rank(std::vector<TwinJob*>& others) const {
    // The lowest QOS first, then the fewest nodes (or the latest start), then the order of Slurm's
    // list of jobs.
    const auto key = [this](const TwinJob* other) {
        const std::int32_t qos = other->row->qos;
        const double second = site_.settings.preempt_youngest_first
                                  ? -other->start
                                  : static_cast<double>(other->shares.size());
        return std::tuple(qos == kNobody ? 0 : site_.qos_priority[qos], second, other->row->id);
    };
    std::stable_sort(others.begin(), others.end(),
                     [&](TwinJob* one, TwinJob* other) { return key(one) < key(other); });
}

}  // namespace schedlab::slurm
