#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "core/present.h"

namespace schedlab {

// The jobs of the last days that have ended, in order of submission.
class PastArrivals {
  public:
    static constexpr Time kDay = 86'400;
    static constexpr Time kDays = 7;

    void clear() { jobs_.clear(); }
    void note(const SubmittedJob& job, Time ran) {
        const auto later = std::upper_bound(
            jobs_.begin(), jobs_.end(), std::pair(job.submit, job.job),
            [](const auto& one, const Past& other) {
                return one < std::pair(other.submit, other.job);
            });
        jobs_.insert(later, {job.submit, job.job, ran});
        while (jobs_.front().submit < jobs_.back().submit - (kDays + 1) * kDay) jobs_.pop_front();
    }
    // How many whole days they cover, up to kDays.
    Time days(Time now) const {
        return jobs_.empty() ? 0 : std::min(kDays, (now - jobs_.front().submit) / kDay);
    }
    // Those that were submitted after `begin` and up to `end`, moved by `later`.
    std::vector<Arrival> between(Time begin, Time end, Time later) const {
        const auto upto = [](Time time, const Past& job) { return time < job.submit; };
        const auto first = std::upper_bound(jobs_.begin(), jobs_.end(), begin, upto);
        const auto last = std::upper_bound(first, jobs_.end(), end, upto);
        std::vector<Arrival> found;
        for (auto job = first; job != last; ++job) {
            found.push_back({job->job, job->submit + later, job->ran});
        }
        return found;
    }

  private:
    struct Past {
        Time submit;
        JobIndex job;
        Time ran;
    };
    std::deque<Past> jobs_;
};

}  // namespace schedlab
