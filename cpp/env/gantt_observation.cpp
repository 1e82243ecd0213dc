// What the agent sees of the grid, as numbers from 0 to 1.

#include <algorithm>

#include "env/gantt_env.h"

namespace schedlab {
namespace {

constexpr std::size_t kSlotFeatures = 4;

std::size_t columns(const GanttOptions& options) {
    return options.resources * (1 + options.slots) + options.backlog_columns + 1;
}

}  // namespace

std::size_t GanttEnv::observation_size(const GanttOptions& options) {
    const auto window = static_cast<std::size_t>(options.window);
    if (options.observation == GanttObservation::image) return window * columns(options);
    return window + kSlotFeatures * options.slots + 2;
}

void GanttEnv::observe(std::span<float> observation) const {
    if (options_.observation == GanttObservation::image) {
        observe_image(observation);
    } else {
        observe_vector(observation);
    }
}

float GanttEnv::since_arrival() const {
    const Time since = std::min(now_ - last_arrival_, options_.arrival_memory);
    return static_cast<float>(since) / static_cast<float>(options_.arrival_memory);
}

float GanttEnv::share_of_backlog() const {
    const std::size_t cells = options_.backlog_columns * options_.window;
    if (cells == 0) return 0;
    return static_cast<float>(std::min(backlog(), cells)) / static_cast<float>(cells);
}

void GanttEnv::observe_image(std::span<float> image) const {
    std::fill(image.begin(), image.end(), 0.0F);
    const std::size_t width = columns(options_);
    const float since = since_arrival();
    for (Time row = 0; row < options_.window; ++row) {
        const std::span<const float> cells = chart_.row(row);
        std::copy(cells.begin(), cells.end(), image.begin() + row * width);
        image[(row + 1) * width - 1] = since;
    }
    for (std::size_t slot = 0; slot < options_.slots; ++slot) {
        if (slots_[slot] == kNoJob) continue;
        const GanttJob& job = jobs_[slots_[slot]];
        float* at = &image[(slot + 1) * options_.resources];
        for (Time row = 0; row < job.duration; ++row, at += width) {
            std::fill(at, at + job.resources, 1.0F);
        }
    }
    std::size_t left = backlog();
    const std::size_t first = options_.resources * (1 + options_.slots);
    for (Time row = 0; row < options_.window && left > 0; ++row) {
        const std::size_t cells = std::min(left, options_.backlog_columns);
        std::fill_n(image.begin() + row * width + first, cells, 1.0F);
        left -= cells;
    }
}

void GanttEnv::observe_vector(std::span<float> numbers) const {
    std::fill(numbers.begin(), numbers.end(), 0.0F);
    const auto machine = static_cast<float>(options_.resources);
    const auto window = static_cast<float>(options_.window);
    float* to = numbers.data();
    for (Time row = 0; row < options_.window; ++row) {
        *to++ = static_cast<float>(chart_.free(row)) / machine;
    }
    for (const JobIndex job : slots_) {
        if (job != kNoJob) {
            const Time start = earliest_start(job);
            to[0] = static_cast<float>(jobs_[job].resources) / machine;
            to[1] = static_cast<float>(jobs_[job].duration) / window;
            to[2] = 1 / static_cast<float>(jobs_[job].duration);
            to[3] = start == kNone ? 1 : static_cast<float>(start) / window;
        }
        to += kSlotFeatures;
    }
    to[0] = share_of_backlog();
    to[1] = since_arrival();
}

}  // namespace schedlab
