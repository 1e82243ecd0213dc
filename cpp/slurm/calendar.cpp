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
        others.remove(own->nodes);
        return others;
    }
    Nodes found(site_.node_count(), {});
    for (const ReservationRow& each : reserved_) {
        if (each.begin < end && each.end > begin) found.add(each.nodes);
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
