#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "core/mix.h"

namespace schedlab {

// Improves two weights from generation to generation: an evolution strategy with weighted recombination
// and a variance for each weight, as in the separable CMA-ES (Ros and Hansen, PPSN 2008).
//
// It follows what changes, so it differs from CMA-ES in two ways: steps are as long as those that were
// selected lately, without a path over generations, and they never get shorter than `kLeastStep`.
class WeightSearch {
  public:
    using Weights = std::array<double, 2>;
    static constexpr Weights kFirst{0.25, 0};
    static constexpr double kFirstStep = 0.3;
    static constexpr double kLeastStep = 0.05;
    static constexpr double kNew = 0.2;  // how much a generation counts in the variances

    explicit WeightSearch(std::uint64_t seed) : seed_(seed) {}

    const Weights& mean() const { return mean_; }

    // The weights to try in this generation.
    std::vector<Weights> ask(std::size_t count) const {
        std::uint64_t bits = mix(mix(seed_) ^ generation_);
        const auto uniform = [&bits] {
            return static_cast<double>((bits = mix(bits)) >> 11) * 0x1.0p-53;
        };
        std::vector<Weights> asked(count);
        for (Weights& each : asked) {
            for (std::size_t i = 0; i < each.size(); ++i) {
                const double length = std::sqrt(-2 * std::log(1 - uniform()));
                const double normal = length * std::cos(2 * std::numbers::pi * uniform());
                each[i] = mean_[i] + std::sqrt(variance_[i]) * normal;
            }
        }
        return asked;
    }

    // Learns from the scores of the weights that were asked for; less is better.
    void tell(std::span<const Weights> tried, std::span<const double> scores) {
        ++generation_;
        std::vector<std::size_t> best(tried.size());
        std::iota(best.begin(), best.end(), 0);
        std::stable_sort(best.begin(), best.end(), [&](std::size_t one, std::size_t other) {
            return scores[one] < scores[other];
        });
        // Where the weights make no difference there is nothing to learn.
        if (best.empty() || scores[best.front()] == scores[best.back()]) return;
        const std::size_t parents = std::max<std::size_t>(best.size() / 2, 1);
        std::vector<double> share(parents);
        for (std::size_t k = 0; k < parents; ++k) {
            share[k] = std::log(static_cast<double>(parents) + 0.5) -
                       std::log(static_cast<double>(k + 1));
        }
        const double all = std::accumulate(share.begin(), share.end(), 0.0);
        for (std::size_t i = 0; i < mean_.size(); ++i) {
            double mean = 0, square = 0;
            for (std::size_t k = 0; k < parents; ++k) {
                const double found = tried[best[k]][i];
                mean += share[k] / all * found;
                square += share[k] / all * (found - mean_[i]) * (found - mean_[i]);
            }
            mean_[i] = mean;
            variance_[i] =
                std::max((1 - kNew) * variance_[i] + kNew * square, kLeastStep * kLeastStep);
        }
    }

  private:
    std::uint64_t seed_;
    std::uint64_t generation_ = 0;
    Weights mean_ = kFirst;
    Weights variance_{kFirstStep * kFirstStep, kFirstStep * kFirstStep};
};

}  // namespace schedlab
