#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "env/step.h"
#include "env/thread_team.h"

namespace schedlab {

// Where a batch of environments writes: one row per environment.
struct BatchOutput {
    std::span<float> observation;
    std::span<double> reward;
    std::span<std::uint8_t> terminated;
    std::span<std::uint8_t> truncated;
    std::span<std::uint8_t> mask;
};

// Environments that are stepped together by a team of threads.
template <typename Env>
class EnvBatch {
  public:
    using Options = typename Env::Options;

    EnvBatch(const Options& options, std::size_t size, std::size_t threads)
        : options_(options),
          envs_(size, Env(options)),
          team_(threads, size, [this](std::size_t index) { step_one(index); }) {}
    EnvBatch(const EnvBatch&) = delete;

    std::size_t size() const { return envs_.size(); }
    const Env& env(std::size_t index) const { return envs_.at(index); }
    std::size_t observation_size() const { return Env::observation_size(options_); }
    std::size_t actions() const { return Env::actions(options_); }

    // Begins this episode in one environment and writes what its agent sees.
    template <typename Episode>
    void reset(std::size_t index, Episode&& episode, const BatchOutput& output) {
        envs_.at(index).reset(std::forward<Episode>(episode));
        write(index, output);
    }

    void step(std::span<const std::int64_t> actions, const BatchOutput& output) {
        actions_ = actions;
        output_ = output;
        team_.run();
    }

  private:
    void step_one(std::size_t index) {
        const Step step = envs_[index].step(actions_[index]);
        output_.reward[index] = step.reward;
        output_.terminated[index] = step.terminated;
        output_.truncated[index] = step.truncated;
        write(index, output_);
    }

    void write(std::size_t index, const BatchOutput& output) const {
        const std::size_t width = observation_size();
        envs_[index].observe(output.observation.subspan(index * width, width));
        envs_[index].mask(output.mask.subspan(index * actions(), actions()));
    }

    Options options_;
    std::vector<Env> envs_;

    // The step in progress.
    std::span<const std::int64_t> actions_;
    BatchOutput output_;

    ThreadTeam team_;
};

}  // namespace schedlab
