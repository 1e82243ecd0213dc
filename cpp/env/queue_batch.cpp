#include "env/queue_batch.h"

#include <algorithm>

namespace schedlab {

QueueBatch::QueueBatch(const EnvOptions& options, std::size_t size, std::size_t threads)
    : options_(options),
      envs_(size, QueueEnv(options)),
      shares_(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(size, 1))),
      gate_(static_cast<std::ptrdiff_t>(shares_)) {
    errors_.resize(shares_);
    for (std::size_t share = 1; share < shares_; ++share) {
        threads_.emplace_back([this, share] { serve(share); });
    }
}

QueueBatch::~QueueBatch() {
    closing_ = true;
    if (shares_ > 1) gate_.arrive_and_wait();
}

void QueueBatch::serve(std::size_t share) {
    for (;;) {
        gate_.arrive_and_wait();
        if (closing_) return;
        step_share(share);
        gate_.arrive_and_wait();
    }
}

void QueueBatch::reset(std::size_t index, std::shared_ptr<Simulator> simulator,
                       const BatchOutput& output) {
    envs_.at(index).reset(std::move(simulator));
    write(index, output);
}

void QueueBatch::step(std::span<const std::int64_t> actions, const BatchOutput& output) {
    actions_ = actions;
    output_ = output;
    std::fill(errors_.begin(), errors_.end(), nullptr);
    if (shares_ > 1) gate_.arrive_and_wait();
    step_share(0);
    if (shares_ > 1) gate_.arrive_and_wait();
    for (const std::exception_ptr& error : errors_) {
        if (error) std::rethrow_exception(error);
    }
}

void QueueBatch::step_share(std::size_t share) {
    try {
        for (std::size_t i = share; i < envs_.size(); i += shares_) {
            const Step step = envs_[i].step(actions_[i]);
            output_.reward[i] = step.reward;
            output_.terminated[i] = step.terminated;
            output_.truncated[i] = step.truncated;
            write(i, output_);
        }
    } catch (...) {
        errors_[share] = std::current_exception();
    }
}

void QueueBatch::write(std::size_t index, const BatchOutput& output) const {
    const std::size_t width = observation_size();
    envs_[index].observe(output.observation.subspan(index * width, width));
    envs_[index].mask(output.mask.subspan(index * actions(), actions()));
}

}  // namespace schedlab
