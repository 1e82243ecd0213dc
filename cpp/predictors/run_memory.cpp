#include "predictors/run_memory.h"

#include <algorithm>
#include <cmath>

namespace schedlab {

void RunDistribution::add(double share, double weight) {
    if (at_.empty()) at_.reserve(RunMemory::kOwn + RunMemory::kEverybody);
    at_.push_back({share, (at_.empty() ? 0.0 : at_.back().upto) + weight});
}

Time RunDistribution::at(double level, Time request, Time elapsed) const {
    const auto asked = static_cast<double>(request);
    const double all = at_.empty() ? 0.0 : at_.back().upto;
    double gone = 0.0;  // the weight of those that would have ended
    if (elapsed > 0) {
        const double share = static_cast<double>(elapsed) / asked;
        const auto left = std::partition_point(
            at_.begin(), at_.end(), [share](const Step& step) { return step.share <= share; });
        gone = left == at_.begin() ? 0.0 : (left - 1)->upto;
    }
    if (!(gone < all)) {  // no past job ran this long: any time up to the request
        if (at_.empty()) return std::max(request, elapsed + 1);
        const double left = std::max(0.0, asked - static_cast<double>(elapsed));
        return elapsed + 1 + static_cast<Time>(level * left);
    }
    const double wanted = gone + level * (all - gone);
    auto step = std::partition_point(at_.begin(), at_.end(),
                                     [wanted](const Step& each) { return each.upto <= wanted; });
    if (step == at_.end()) --step;
    const auto run = static_cast<Time>(std::ceil(step->share * asked));
    return elapsed > 0 ? std::max(run, elapsed + 1) : run;
}

double RunDistribution::mean(Time request) const {
    if (at_.empty()) return static_cast<double>(request);
    double sum = 0, before = 0;
    for (const Step& step : at_) {
        sum += step.share * (step.upto - before);
        before = step.upto;
    }
    return sum / before * static_cast<double>(request);
}

double RunDistribution::slowness(Time request) const {
    const auto asked = static_cast<double>(request);
    if (at_.empty()) return 1 / std::max(asked, 10.0);
    double sum = 0, before = 0;
    for (const Step& step : at_) {
        sum += (step.upto - before) / std::max(step.share * asked, 10.0);
        before = step.upto;
    }
    return sum / before;
}

void RunMemory::Ring::add(Past past, std::size_t most) {
    past.number = noted++;
    if (by_share.size() == most) {
        const std::int64_t oldest = past.number - static_cast<std::int64_t>(most);
        by_share.erase(std::find_if(by_share.begin(), by_share.end(),
                                    [oldest](const Past& each) { return each.number == oldest; }));
    }
    const auto later = std::upper_bound(
        by_share.begin(), by_share.end(), past.share,
        [](double share, const Past& each) { return share < each.share; });
    by_share.insert(later, past);
}

void RunMemory::clear() {
    users_.clear();
    everybody_ = {};
    halves_.clear();
    for (std::size_t age = 0; age < kOwn; ++age) {
        halves_.push_back(std::pow(0.5, static_cast<double>(age) / kHalfLife));
    }
}

void RunMemory::note(const SubmittedJob& job, Time ran) {
    if (halves_.empty()) clear();
    const auto request = static_cast<double>(job.request);
    const Past past{std::min(1.0, static_cast<double>(ran) / request), std::log(request),
                    std::log(static_cast<double>(job.nodes)), 0};
    users_[job.user].add(past, kOwn);
    everybody_.add(past, kEverybody);
}

bool RunMemory::is_exact() const {
    const std::vector<Past>& every = everybody_.by_share;
    return !every.empty() && every.front().share >= kExact;
}

double RunMemory::likeness(const Past& past, double log_request, double log_nodes) {
    const double request = past.log_request - log_request, nodes = past.log_nodes - log_nodes;
    const double near = 1 + (request * request + nodes * nodes) / (2 * kDistance * kDistance);
    return 1 / (near * near * near);
}

void RunMemory::tell(std::int64_t user, Time request, NodeCount nodes,
                     RunDistribution& told) const {
    told.clear();
    const double log_request = std::log(static_cast<double>(request));
    const double log_nodes = std::log(static_cast<double>(nodes));
    const std::vector<Past>& every = everybody_.by_share;
    thread_local std::vector<double> kept;
    std::vector<double>& weights = kept;  // the thread's own is looked up once
    weights.clear();
    double sum = 0;
    for (const Past& past : every) {
        weights.push_back(likeness(past, log_request, log_nodes));
        sum += weights.back();
    }
    const auto found = users_.find(user);
    const Ring none;
    const Ring& ring = found == users_.end() ? none : found->second;
    std::size_t next = 0;
    for (const Past& past : ring.by_share) {
        for (; next < every.size() && every[next].share <= past.share; ++next) {
            told.add(every[next].share, weights[next] / sum);
        }
        const auto age = static_cast<std::size_t>(ring.noted - 1 - past.number);
        told.add(past.share, likeness(past, log_request, log_nodes) * halves_[age]);
    }
    for (; next < every.size(); ++next) told.add(every[next].share, weights[next] / sum);
}

}  // namespace schedlab
