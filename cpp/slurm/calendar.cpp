#include "slurm/calendar.h"

#include <algorithm>

namespace schedlab::slurm {

void SlurmCalendar::remove(std::int32_t name) {
    std::erase_if(reserved_, [name](const ReservationRow& each) { return each.name == name; });
}

Moment SlurmCalendar::last_change() const {
    Moment last = -kNeverEnds;
    for (const ReservationRow& each : reserved_) {
        for (const Second moment : {each.begin, each.end}) {
            if (moment != kForEver) last = std::max(last, static_cast<Moment>(moment - site_.epoch));
        }
    }
    return last;
}

Nodes SlurmCalendar::barred(const JobRow& job, Second begin, Second end) const {
    const auto own = std::find_if(reserved_.rbegin(), reserved_.rend(), [&](const auto& each) {
        return job.reservation != kNobody && each.name == job.reservation;
    });
    if (own != reserved_.rend()) {
        Nodes others = Nodes::all(site_.node_count());
        if (begin <= own->end) others.remove(own->nodes);
        return others;
    }
    Nodes found(site_.node_count(), {});
    for (const ReservationRow& each : reserved_) {
        if (!each.cores && each.begin < end && each.end > begin) found.add(each.nodes);
    }
    return found;
}

KeptCores SlurmCalendar::kept_cores(const JobRow& job, Second begin, Second end,
                                    std::span<TwinJob* const> running) const {
    KeptCores found;
    for (const ReservationRow& each : reserved_) {
        if (!each.cores || each.name == job.reservation) continue;
        if (each.begin >= end || each.end <= begin) continue;
        each.nodes.for_each([&](NodeIndex node) { found[node] += each.cores; });
        for (const TwinJob* other : running) {
            if (other->limit_end <= begin || other->limit_end > each.begin) continue;
            for (const NodeShare& share : other->shares) {
                if (each.nodes.has(share.node)) found[share.node] -= share.cpus;
            }
        }
    }
    std::erase_if(found, [](const auto& each) { return each.second <= 0; });
    return found;
}

std::optional<Second> SlurmCalendar::next_end(Second from) const {
    std::optional<Second> found;
    for (const ReservationRow& each : reserved_) {
        if (each.end >= from && (!found || each.end < *found)) found = each.end;
    }
    return found;
}

bool SlurmCalendar::lets(const JobRow& job, Second second) const {
    if (job.reservation == kNobody) return true;
    return std::any_of(reserved_.begin(), reserved_.end(), [&](const ReservationRow& each) {
        return each.name == job.reservation && each.begin <= second && second < each.end;
    });
}

}  // namespace schedlab::slurm
