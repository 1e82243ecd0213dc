#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/present.h"

namespace schedlab {

// A policy that decides up to a time.
struct Stage {
    std::shared_ptr<const Policy> policy;  // cloned before it decides
    Time until;
};
using Stages = std::vector<Stage>;

// Continues the simulation under one policy after the other, each up to its time or the end.
void run_stages(Simulator& simulation, const Stages& stages);

// Runs each plan in each future, on up to `threads` threads, and calls done(future, plan,
// simulation) after each run. The first exception is thrown when all threads have stopped.
using RolloutDone = std::function<void(std::size_t, std::size_t, const Simulator&)>;
void run_rollouts(const Present& present, std::span<const Future> futures,
                  std::span<const Stages> plans, std::size_t threads, const RolloutDone& done);

}  // namespace schedlab
