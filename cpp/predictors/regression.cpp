#include "predictors/regression.h"

#include <algorithm>
#include <cmath>

namespace schedlab {
namespace {

constexpr double kRidge = 1.0;
constexpr double kFade = 0.5;

double log_seconds(Time seconds) { return std::log(1.0 + static_cast<double>(seconds)); }

template <std::size_t N>
double dot(const std::array<double, N>& a, const std::array<double, N>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

void Regression::begin() {
    weights_ = {0, 1, 0, 0, 0, 0};
    for (std::size_t i = 0; i < kFeatures; ++i) {
        inverse_[i].fill(0);
        inverse_[i][i] = 1 / kRidge;
    }
    of_user_.clear();
    seen_.clear();
}

Regression::Vector Regression::features(const SubmittedJob& job) const {
    const double request = log_seconds(job.request);
    const double nodes = std::log(static_cast<double>(job.nodes));
    const auto found = of_user_.find(job.user);
    if (found == of_user_.end()) return {1, request, nodes, 0, 0, 0};
    const History& history = found->second;
    return {1, request, nodes, history.last - request, history.recent - request,
            history.used_share};
}

double Regression::predict(const SubmittedJob& job) {
    const Vector x = features(job);
    seen_[job.job] = x;
    return std::max(0.0, std::exp(dot(weights_, x)) - 1);
}

void Regression::learn(const SubmittedJob& job, Time run) {
    const auto known = seen_.find(job.job);
    if (known == seen_.end()) return;
    const Vector x = known->second;
    seen_.erase(known);

    const double target = log_seconds(run);
    Vector moved;  // inverse x
    for (std::size_t i = 0; i < kFeatures; ++i) moved[i] = dot(inverse_[i], x);
    const double scale = 1 + dot(x, moved);
    const double error = target - dot(weights_, x);
    for (std::size_t i = 0; i < kFeatures; ++i) {
        weights_[i] += error * moved[i] / scale;
        for (std::size_t j = 0; j < kFeatures; ++j) inverse_[i][j] -= moved[i] * moved[j] / scale;
    }

    const double share = target - log_seconds(job.request);
    History& history = of_user_[job.user];
    history.recent = history.empty ? target : kFade * history.recent + (1 - kFade) * target;
    history.used_share = history.empty ? share : kFade * history.used_share + (1 - kFade) * share;
    history.last = target;
    history.empty = false;
}

}  // namespace schedlab
