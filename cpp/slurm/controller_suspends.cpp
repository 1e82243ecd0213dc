// Suspended jobs: by a command, or by jobs of a higher tier.

#include <algorithm>
#include <utility>
#include <vector>

#include "slurm/controller.h"

namespace schedlab::slurm {

void Controller::suspend(TwinJob& job) {
    if (job.stage != Stage::running || job.is_suspended) return;
    stop(job);
    std::vector<NodeShare> shares = job.shares;
    for (NodeShare& share : shares) share.cpus = 0;
    hold_instead(job, std::move(shares));
    ++asked_;
    share_by_tier();
}

void Controller::unsuspend(TwinJob& job) {
    if (!job.is_suspended || job.is_shadowed) return;
    const PlaceRow& place = job.row->places[job.place];
    std::vector<NodeIndex> nodes;
    for (const NodeShare& share : job.shares) nodes.push_back(share.node);
    auto shares = selector_.shares(site_.shape(place), std::move(nodes));
    std::vector<std::int32_t> there(site_.nodes.size());
    for (const TwinJob* other : running_) {
        if (other->row->places[other->place].partition != place.partition) continue;
        for (const NodeShare& share : other->shares) there[share.node] += share.cpus;
    }
    const std::int32_t most = site_.partitions[place.partition].rows;
    const bool are_free = std::all_of(shares.begin(), shares.end(), [&](const NodeShare& share) {
        return there[share.node] + share.cpus <= most * site_.nodes[share.node].cpus;
    });
    if (are_free) hold_instead(job, std::move(shares));
    go_on(job);
    share_by_tier();
}

void Controller::stop(TwinJob& job) {
    job.is_suspended = true;
    job.ran += second(now_) - second(job.turned);
    job.turned = now_;
}

void Controller::go_on(TwinJob& job) {
    job.is_suspended = job.is_shadowed = false;
    job.suspended += now_ - job.turned;
    job.turned = now_;
    if (!job.is_marked) job.limit_end = second(now_) + job.row->limit_s - job.ran;
    push(expected_end(job), What::end, static_cast<std::size_t>(job.number));
}

void Controller::hold_instead(TwinJob& job, std::vector<NodeShare> shares) {
    for (const NodeShare& share : job.shares) rooms_[share.node].give(share);
    for (const NodeShare& share : shares) rooms_[share.node].take(share);
    job.shares = std::move(shares);
}

void Controller::share_by_tier() {
    if (!site_.settings.gangs) return;
    std::vector<std::int32_t> above(site_.nodes.size());  // CPUs of running jobs of higher tiers
    for (std::int32_t level = kMostLevels - 1; level >= 0; --level) {
        std::vector<std::int32_t> running = above;
        for (std::size_t at = 0; at < site_.partitions.size(); ++at) {
            if (site_.partitions[at].level != level) continue;
            share_in(static_cast<std::int32_t>(at), above, running);
        }
        above = std::move(running);
    }
}

void Controller::share_in(std::int32_t partition, std::vector<std::int32_t> taken,
                          std::vector<std::int32_t>& running) {
    const std::int32_t most = site_.partitions[partition].rows;
    std::vector<TwinJob*> jobs;
    for (TwinJob* job : running_) {
        const bool is_its = job->row->places[job->place].partition == partition;
        if (is_its && (!job->is_suspended || job->is_shadowed)) jobs.push_back(job);
    }
    std::stable_partition(jobs.begin(), jobs.end(),
                          [](const TwinJob* job) { return !job->is_suspended; });
    for (TwinJob* job : jobs) {
        const auto& shares = job->shares;
        const bool fits = std::all_of(shares.begin(), shares.end(), [&](const NodeShare& share) {
            return taken[share.node] + share.cpus <= most * site_.nodes[share.node].cpus;
        });
        if (fits) {
            for (const NodeShare& share : shares) {
                taken[share.node] += share.cpus;
                running[share.node] += share.cpus;
            }
            if (job->is_shadowed) go_on(*job);
        } else if (!job->is_shadowed) {
            job->is_shadowed = true;
            stop(*job);
        }
    }
}

}  // namespace schedlab::slurm
