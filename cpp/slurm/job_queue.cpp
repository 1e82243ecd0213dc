#include "slurm/job_queue.h"

#include <algorithm>
#include <cassert>

#include "slurm/priorities.h"

namespace schedlab::slurm {

JobQueue::Rank JobQueue::rank(const QueueRecord& record) const {
    const TwinJob& job = *record.job;
    return {job.row->reservation == kNobody, -site_.partitions[record.place->partition].tier,
            -job.priority, second_of(site_, job.submit), job.row->id, job.row->task};
}

void JobQueue::add(TwinJob& job) {
    for (const PlaceRow& place : job.row->places) {
        const QueueRecord record{&job, &place};
        const Ranked own{rank(record), record};
        ranked_.insert(std::upper_bound(ranked_.begin(), ranked_.end(), own), own);
    }
}

void JobQueue::remove(TwinJob& job) {
    for (const PlaceRow& place : job.row->places) {
        const QueueRecord record{&job, &place};
        const auto own = std::lower_bound(ranked_.begin(), ranked_.end(), Ranked{rank(record), record});
        assert(own != ranked_.end() && own->record.job == &job);
        ranked_.erase(own);
    }
}

void JobQueue::sort_again() {
    for (Ranked& each : ranked_) each.rank = rank(each.record);
    std::sort(ranked_.begin(), ranked_.end());
}

}  // namespace schedlab::slurm
