#include "predictors/nearest.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace schedlab {

Nearest::Point Nearest::point(const SubmittedJob& job) {
    return {std::log(static_cast<double>(job.request)), std::log(static_cast<double>(job.nodes))};
}

double Nearest::squared_distance(const Point& one, const Point& other) {
    const double request = one.request - other.request;
    const double nodes = one.nodes - other.nodes;
    return request * request + nodes * nodes;
}

double Nearest::predict(const SubmittedJob& job) {
    const auto found = of_user_.find(job.user);
    if (found == of_user_.end()) return static_cast<double>(job.request);
    const std::deque<Ended>& history = found->second;

    const Point here = point(job);
    std::vector<std::pair<double, std::size_t>> by_distance;  // and, where equal, by age
    by_distance.reserve(history.size());
    for (std::size_t age = 0; age < history.size(); ++age) {
        by_distance.emplace_back(squared_distance(here, history[age].at), age);
    }
    const std::size_t count = std::min(kNeighbours, history.size());
    const auto end = by_distance.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(by_distance.begin(), end, by_distance.end());

    Time sum = 0;
    for (auto each = by_distance.begin(); each != end; ++each) sum += history[each->second].run;
    return static_cast<double>(sum) / static_cast<double>(count);
}

void Nearest::learn(const SubmittedJob& job, Time run) {
    std::deque<Ended>& history = of_user_[job.user];
    history.push_front({point(job), run});
    if (history.size() > kHistory) history.pop_back();
}

}  // namespace schedlab
