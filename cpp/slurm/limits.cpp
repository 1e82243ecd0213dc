#include "slurm/limits.h"

#include <algorithm>
#include <cmath>

#include "slurm/priorities.h"

namespace schedlab::slurm {
namespace {

constexpr double kMinute = 60;
constexpr double kLn2 = 0.693;  // as Slurm writes it

double minutes_of(double seconds) { return std::floor(seconds / kMinute); }

}  // namespace

Limits::Limits(const Site& site, Second start)
    : site_(site), last_pass_(start), counts_(site.counters.size()) {
    const auto half_life = static_cast<double>(site.settings.decay_half_life_s);
    decay_ = site.settings.decay_half_life_s ? 1 - kLn2 / half_life : 1.0;
    for (std::size_t at = 0; at < counts_.size(); ++at) counts_[at].used = site.counters[at].used;
    for (const std::vector<LimitRow>& each : site.limits) {
        may_end_.push_back(std::any_of(each.begin(), each.end(),
                                       [](const LimitRow& limit) { return limit.ends; }));
    }
}

WaitReason Limits::keeps_from_starting(const JobRow& job, const PlaceRow& place) const {
    for (const LimitRow& each : site_.limits[place.limits]) {
        if (each.tres == kNobody && !passes(each, job, {})) return each.reason;
    }
    return kNoReason;
}

WaitReason Limits::keeps_from_having(const JobRow& job, const PlaceRow& place,
                                     const Amounts& asks) const {
    for (const LimitRow& each : site_.limits[place.limits]) {
        if (each.tres != kNobody && !passes(each, job, asks)) return each.reason;
    }
    return kNoReason;
}

bool Limits::waits_for_minutes(const JobRow& job) const {
    for (const PlaceRow& place : job.places) {
        for (const LimitRow& each : site_.limits[place.limits]) {
            const bool is_forgotten =
                each.measure == Measure::minutes || each.measure == Measure::wall;
            if (is_forgotten && !passes(each, job, job.asks)) return true;
        }
    }
    return false;
}

bool Limits::passes(const LimitRow& limit, const JobRow& job, const Amounts& asks) const {
    const double asked = limit.tres == kNobody ? 0 : asks[limit.tres];
    const auto minutes = static_cast<double>(job.minutes);
    if (limit.measure == Measure::job_minutes) return minutes * asked <= limit.most;
    if (limit.counter == kNobody) return asked <= limit.most;
    const Count& count = counts_[limit.counter];
    if (limit.measure == Measure::jobs) return static_cast<double>(count.jobs) < limit.most;
    if (limit.measure == Measure::tres) return count.held[limit.tres] + asked <= limit.most;
    const bool is_free = job.usage_factor == 0;  // what is used does not count against it
    const double run = is_free || limit.tres == kNobody ? 0 : minutes_of(count.run[limit.tres]);
    if (limit.measure == Measure::run_minutes) return minutes * asked + run <= limit.most;
    const double used = limit.tres == kNobody ? count.wall : count.used[limit.tres];
    const double left = limit.most - (is_free ? 0 : minutes_of(used));
    if (!site_.settings.is_safe) return left > 0;
    return left > 0 && (limit.tres == kNobody ? minutes : minutes * asked + run) <= left;
}

bool Limits::has_run_out(const TwinJob& job, Second now) const {
    if (site_.settings.is_safe || !may_end_[place_of(job).limits]) return false;
    const auto whole_minutes = static_cast<double>((now - start_of(job)) / 60);
    for (const LimitRow& each : site_.limits[place_of(job).limits]) {
        if (!each.ends) continue;
        if (each.measure == Measure::job_minutes) {
            const double held = job.holds[each.tres];
            if (held > 0 && whole_minutes * held >= each.most) return true;
        } else {
            const Count& count = counts_[each.counter];
            const double used = each.tres == kNobody ? count.wall : count.used[each.tres];
            if (minutes_of(used) >= each.most) return true;
        }
    }
    return false;
}

void Limits::started(const TwinJob& job) {
    const double seconds = job.row->usage_factor * static_cast<double>(left(job));
    for (const std::int32_t counter : counters_of(job)) {
        Count& count = counts_[counter];
        ++count.jobs;
        for (std::size_t at = 0; at < kTres; ++at) {
            count.held[at] += job.holds[at];
            count.run[at] += job.holds[at] * seconds;
        }
    }
}

void Limits::ended(const TwinJob& job, Second now) {
    use(job, now);
    pass(job, left(job));
    for (const std::int32_t counter : counters_of(job)) {
        Count& count = counts_[counter];
        --count.jobs;
        for (std::size_t at = 0; at < kTres; ++at) count.held[at] -= job.holds[at];
    }
}

void Limits::look(std::span<TwinJob* const> running, Second now) {
    if (site_.settings.is_basic || counts_.empty()) return;
    const double forgotten = std::pow(decay_, static_cast<double>(now - last_pass_));
    for (std::size_t at = 0; at < counts_.size(); ++at) {
        if (!site_.counters[at].decays) continue;
        counts_[at].wall *= forgotten;
        for (double& used : counts_[at].used) used *= forgotten;
    }
    for (const TwinJob* job : running) {
        use(*job, now);
        pass(*job, std::min(std::max(Second{0}, now - since(*job)), left(*job)));
    }
    last_pass_ = now;
}

Second Limits::start_of(const TwinJob& job) const { return second_of(site_, job.start); }

Second Limits::since(const TwinJob& job) const { return std::max(start_of(job), last_pass_); }

Second Limits::left(const TwinJob& job) const {
    return std::max(Second{0}, start_of(job) + job.row->limit_s - since(job));
}

void Limits::use(const TwinJob& job, Second now) {
    const Second seconds = now - since(job);
    if (seconds <= 0 || site_.settings.is_basic) return;
    const auto length = static_cast<double>(seconds);
    const double decayed = length * std::pow(decay_, length);
    for (const std::int32_t counter : counters_of(job)) {
        Count& count = counts_[counter];
        const double used =
            job.row->usage_factor * (site_.counters[counter].decays ? decayed : length);
        count.wall += used;
        for (std::size_t at = 0; at < kTres; ++at) count.used[at] += job.holds[at] * used;
    }
}

void Limits::pass(const TwinJob& job, Second seconds) {
    const double passed = job.row->usage_factor * static_cast<double>(seconds);
    for (const std::int32_t counter : counters_of(job)) {
        Amounts& run = counts_[counter].run;
        for (std::size_t at = 0; at < kTres; ++at) {
            run[at] = std::max(0.0, run[at] - job.holds[at] * passed);
        }
    }
}

}  // namespace schedlab::slurm
