#include "slurm/priorities.h"

#include <algorithm>
#include <cmath>

namespace schedlab::slurm {
namespace {

constexpr std::int64_t kFirstPriority = 4'294'901'759;  // with priority/basic; one less per job

}  // namespace

Second second_of(const Site& site, Moment time) {
    return static_cast<Second>(std::floor(static_cast<double>(site.epoch) + time));
}

Priorities::Priorities(const Site& site, Moment start)
    : site_(site), shares_(site, second_of(site, start)) {}

void Priorities::set(TwinJob& job, Moment now) {
    const Settings& own = site_.settings;
    if (own.is_basic) {
        if (job.priority == 0) job.priority = kFirstPriority - job.number - job.nice;
        return;
    }
    const JobRow& row = *job.row;
    const Second age = second_of(site_, now) - second_of(site_, job.accrue);
    const double age_factor =
        own.max_age_s ? std::min(1.0, static_cast<double>(age) / static_cast<double>(own.max_age_s))
                      : 0.0;
    const double weighted = own.weight_age * age_factor +
                            own.weight_fairshare * shares_.factor(row.association) +
                            own.weight_job_size * size_factor(job) + row.partition_part +
                            row.qos_part;
    const double all = weighted + row.association_part + row.tres_part + 0.0 -
                       static_cast<double>(job.nice);
    job.priority = std::max(std::int64_t{1}, static_cast<std::int64_t>(all));
}

double Priorities::size_factor(const TwinJob& job) const {
    const Settings& own = site_.settings;
    const JobRow& row = *job.row;
    const ShapeRow& shape = site_.shape(row.places[0]);
    const auto nodes = static_cast<double>(site_.nodes.size());
    const auto all = static_cast<double>(own.cpus);
    const auto cpus = static_cast<double>(job.planned_cpus ? job.planned_cpus : shape.cpus());
    const std::int64_t min_nodes = std::max(shape.min_nodes, 1);
    double size;
    if (own.small_relative_to_time) {
        const double by_nodes = static_cast<double>(min_nodes * own.cpus) / nodes;
        const auto minutes = static_cast<double>(std::max(row.limit_s / 60, std::int64_t{1}));
        size = std::max(by_nodes, cpus) / minutes / all;
    } else {
        size = (static_cast<double>(min_nodes) / nodes + cpus / all) / 2;
    }
    if (own.favor_small) size = 1 - size;
    return std::min(std::max(size, 0.0), 1.0);
}

void Priorities::set_all(std::span<TwinJob* const> running, std::span<TwinJob* const> pending,
                         Moment now) {
    const Second second = second_of(site_, now);
    shares_.begin_pass(second);
    if (site_.settings.is_fair_tree) {
        for (const TwinJob* job : running) charge(*job, now);
        shares_.end_pass(second);
        for (TwinJob* job : pending) set(*job, now);
        return;
    }
    // Users are looked at in the order of their jobs in Slurm's list.
    std::vector<TwinJob*> jobs(running.begin(), running.end());
    jobs.insert(jobs.end(), pending.begin(), pending.end());
    std::sort(jobs.begin(), jobs.end(),
              [](const TwinJob* a, const TwinJob* b) { return a->number < b->number; });
    for (TwinJob* job : jobs) {
        if (job->stage == Stage::running) {
            charge(*job, now);
        } else {
            set(*job, now);
        }
    }
    shares_.end_pass(second);
}

void Priorities::charge(const TwinJob& job, Moment now) {
    const double billing = job.row->usage_factor * job.holds[kBilling];
    shares_.charge(job.row->association, billing, second_of(site_, job.start),
                   second_of(site_, now));
}

}  // namespace schedlab::slurm
