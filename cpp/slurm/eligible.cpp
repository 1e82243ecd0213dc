#include "slurm/eligible.h"

#include <algorithm>
#include <cmath>

namespace schedlab::slurm {
namespace {

Readiness together(const std::vector<Readiness>& tests, bool one_will_do) {
    if (tests.empty()) return Readiness::yes;
    const auto count = [&](Readiness what) {
        return static_cast<std::size_t>(std::count(tests.begin(), tests.end(), what));
    };
    const std::size_t yes = count(Readiness::yes), never = count(Readiness::never);
    if (one_will_do ? yes > 0 : yes == tests.size()) return Readiness::yes;
    const bool is_lost = one_will_do ? never == tests.size() : never > 0;
    return is_lost ? Readiness::never : Readiness::not_yet;
}

}  // namespace

Eligible::Eligible(const Site& site, const std::vector<TwinJob>& jobs)
    : site_(site), jobs_(jobs), licences_(site.licences) {}

WaitReason Eligible::obstacle(const TwinJob& job, Moment now) const {
    if (!job.row->conditions.empty()) {
        const Readiness verdict = all_of(job, now);
        if (verdict != Readiness::yes) return verdict == Readiness::never ? kNever : kDependency;
    }
    if (!has_array_room(job)) return kArrayLimit;
    return now < job.begin ? kBeginTime : kNoReason;
}

bool Eligible::is_stuck(const TwinJob& job) const {
    return !job.row->conditions.empty() && all_of(job, kNeverEnds) == Readiness::never;
}

Readiness Eligible::all_of(const TwinJob& job, Moment now) const {
    std::vector<Readiness> tests;
    for (const ConditionRow& each : job.row->conditions) tests.push_back(fulfilled(job, each, now));
    return together(tests, job.row->one_will_do);
}

Readiness Eligible::fulfilled(const TwinJob& job, const ConditionRow& condition, Moment now) const {
    if (condition.kind == Dependency::singleton) return singleton(job, condition);
    std::vector<Readiness> tests;
    for (const JobNumber other : condition.others) {
        tests.push_back(one(jobs_[other], condition, now));
    }
    return together(tests, false);
}

Readiness Eligible::one(const TwinJob& other, const ConditionRow& condition, Moment now) const {
    if (condition.kind == Dependency::after) {
        const bool cancelled = other.stage == Stage::done && !other.has_started;
        const bool late = now < other.start + static_cast<double>(condition.delay_s);
        const bool begun = other.has_started && !late;
        return begun || cancelled ? Readiness::yes : Readiness::not_yet;
    }
    if (other.stage != Stage::done || other.completed > now) return Readiness::not_yet;
    const Moment forgotten = other.completed + static_cast<double>(site_.settings.min_job_age_s);
    if (forgotten < now && now < kNeverEnds) return Readiness::yes;  // slurmctld has forgotten it
    const bool well = other.how == Ending::completed;
    const bool failed = (condition.kind == Dependency::afterok && !well) ||
                        (condition.kind == Dependency::afternotok && well);
    return failed ? Readiness::never : Readiness::yes;
}

Readiness Eligible::singleton(const TwinJob& job, const ConditionRow& namesakes) const {
    const auto order = [](const TwinJob& each) { return std::pair(each.row->id, each.row->task); };
    for (const JobNumber number : namesakes.others) {
        const TwinJob& other = jobs_[number];
        const bool is_earlier = order(other) < order(job);
        if (other.stage == Stage::running || (other.stage == Stage::pending && is_earlier)) {
            return Readiness::not_yet;
        }
    }
    return Readiness::yes;
}

bool Eligible::has_array_room(const TwinJob& job) const {
    if (!job.array_limit) return true;
    const auto found = running_tasks_.find(job.row->id);
    return found == running_tasks_.end() || found->second < job.array_limit;
}

bool Eligible::has_licences(const TwinJob& job) const {
    for (const auto& [licence, count] : job.row->licences) {
        if (licence == kNobody || licences_[licence] < count) return false;
    }
    return true;
}

void Eligible::count(const TwinJob& job, int sign) {
    running_tasks_[job.row->id] += sign;
    for (const auto& [licence, count] : job.row->licences) {
        if (licence != kNobody) licences_[licence] -= sign * count;
    }
}

}  // namespace schedlab::slurm
