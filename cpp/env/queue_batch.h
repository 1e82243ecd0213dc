#pragma once

#include <barrier>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "env/queue_env.h"

namespace schedlab {

// Where a batch of environments writes; row by row, one per environment.
struct BatchOutput {
    std::span<float> observation;
    std::span<double> reward;
    std::span<std::uint8_t> terminated;
    std::span<std::uint8_t> truncated;
    std::span<std::uint8_t> mask;
};

// Environments that are stepped together, each thread those of its share.
class QueueBatch {
  public:
    QueueBatch(const EnvOptions& options, std::size_t size, std::size_t threads);
    ~QueueBatch();
    QueueBatch(const QueueBatch&) = delete;

    std::size_t size() const { return envs_.size(); }
    const QueueEnv& env(std::size_t index) const { return envs_.at(index); }
    const EnvOptions& options() const { return options_; }
    std::size_t observation_size() const { return QueueEnv::observation_size(options_); }
    std::size_t actions() const { return options_.visible + 1; }

    // Begins an episode of one environment and writes what its agent sees.
    void reset(std::size_t index, std::shared_ptr<Simulator> simulator, const BatchOutput& output);
    void step(std::span<const std::int64_t> actions, const BatchOutput& output);

  private:
    void step_share(std::size_t share);
    void write(std::size_t index, const BatchOutput& output) const;
    void serve(std::size_t share);

    EnvOptions options_;
    std::vector<QueueEnv> envs_;

    // The step in progress.
    std::span<const std::int64_t> actions_;
    BatchOutput output_;
    std::vector<std::exception_ptr> errors_;  // by share

    std::size_t shares_;
    bool closing_ = false;
    std::barrier<> gate_;
    std::vector<std::jthread> threads_;  // all shares but the first, which the caller takes
};

}  // namespace schedlab
