#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "core/rounding.h"
#include "policies/lookahead.h"
#include "policies/lookahead_orders.h"

namespace schedlab {

// What can be known at a decision: the state, and how long its jobs may run.
struct Lookahead::Known {
    Known(const Simulator& simulation, const RunMemory& memory)
        : present(simulation), kinds(std::make_shared<ToldKinds>(memory)) {
        for (std::size_t i = 0; i < present.jobs().size(); ++i) {
            kind.push_back(&kinds->ask(present.job(i)));
            runs->push_back(kind.back()->run);
            waiting += present.is_waiting(i);
        }
    }

    Present present;
    std::shared_ptr<ToldKinds> kinds;
    std::vector<const ToldKinds::Kind*> kind;  // by unfinished job
    std::shared_ptr<std::vector<ToldRun>> runs = std::make_shared<std::vector<ToldRun>>();
    std::size_t waiting = 0;
};

// A candidate with jobs that come first, and its scores by fork: the sum over the waiting jobs, and
// the mean of the worst-off user.
struct Lookahead::Tried {
    std::size_t candidate;
    std::vector<std::int64_t> moved{};
    std::vector<double> sum{};
    std::vector<double> worst{};

    double total() const { return std::accumulate(sum.begin(), sum.end(), 0.0); }

    struct Gain {
        double mean;
        double error;  // of the mean

        double at_least(double doubt) const {
            return rounded_sum(rounded_sum(mean) - rounded_sum(doubt * error));
        }
    };
    // The gain over another one, in the forks that both ran; nothing if it is not fair enough.
    std::optional<Gain> gain_over(const Tried& other, double fairness) const {
        const std::size_t forks = std::min(sum.size(), other.sum.size());
        double gain = 0, square = 0, fair = 0, fair_other = 0;
        for (std::size_t k = 0; k < forks; ++k) {
            gain += other.sum[k] - sum[k];
            fair += worst[k];
            fair_other += other.worst[k];
        }
        if (rounded_sum(fair) > rounded_sum(fairness * fair_other)) return std::nullopt;
        const auto n = static_cast<double>(forks);
        gain /= n;
        for (std::size_t k = 0; k < forks; ++k) {
            const double off = other.sum[k] - sum[k] - gain;
            square += off * off;
        }
        return Gain{gain, forks > 1 ? std::sqrt(square / n / (n - 1)) : 0.0};
    }
};

}  // namespace schedlab
