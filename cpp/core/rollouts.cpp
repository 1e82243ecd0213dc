#include "core/rollouts.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace schedlab {

void run_stages(Simulator& simulation, const Stages& stages) {
    constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
    for (const Stage& stage : stages) {
        const auto policy = stage.policy->clone();
        simulation.use(*policy);
        simulation.run(*policy, kAll, stage.until);
    }
}

void run_rollouts(const Present& present, std::span<const Future> futures,
                  std::span<const Stages> plans, std::size_t threads, const RolloutDone& done) {
    const std::size_t tasks = futures.size() * plans.size();
    std::atomic<std::size_t> next{0};
    std::mutex failing;
    std::exception_ptr error;
    const auto work = [&] {
        try {
            for (std::size_t task = next++; task < tasks; task = next++) {
                const std::size_t future = task / plans.size(), plan = task % plans.size();
                const auto simulation = present.imagine(futures[future]);
                run_stages(*simulation, plans[plan]);
                done(future, plan, *simulation);
            }
        } catch (...) {
            const std::lock_guard locked(failing);
            if (!error) error = std::current_exception();
            next = tasks;
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1; i < std::min(threads, tasks); ++i) helpers.emplace_back(work);
        work();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace schedlab
