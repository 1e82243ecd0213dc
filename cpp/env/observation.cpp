// What the agent sees, as numbers from 0 to about 1.

#include <algorithm>
#include <array>
#include <cmath>

#include "env/queue_env.h"

namespace schedlab {
namespace {

constexpr std::size_t kJobFeatures = 10;
constexpr std::size_t kHorizons = 12;
constexpr std::size_t kMachineFeatures = kHorizons + 3;

}  // namespace

std::size_t QueueEnv::observation_size(const EnvOptions& options) {
    const auto nodes = static_cast<std::size_t>(options.nodes);
    switch (options.observation) {
        case Observation::baseline: return nodes + 2 * options.visible;
        case Observation::proposal: return 2 * nodes + 3 * options.visible;
        case Observation::jobs: return kJobFeatures * options.visible + kMachineFeatures;
    }
    return 0;
}

void QueueEnv::observe(std::span<float> observation) const {
    if (options_.observation == Observation::jobs) {
        observe_features(observation);
        return;
    }
    const std::size_t kinds = options_.observation == Observation::proposal ? 2 : 1;
    const std::size_t nodes = kinds * options_.nodes;
    observe_nodes(observation.first(nodes));
    observe_jobs(observation.subspan(nodes));
}

void QueueEnv::cut(std::span<float> numbers) const {
    const auto largest = static_cast<float>(options_.largest);
    for (float& number : numbers) number = std::min(number, largest);
}

// The remaining time of each node by request and, if there is room for it, by estimate.
void QueueEnv::observe_nodes(std::span<float> observation) const {
    const auto now = static_cast<double>(view_->now());
    const double scale = 1 / options_.time_scale;
    const auto write = [&](const std::vector<double>& ends, float* to) {
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const double left = std::max(ends[i] - now, 0.0) * scale;
            to[i] = static_cast<float>(std::min(left, options_.largest));
        }
    };
    write(request_end_, observation.data());
    if (observation.size() > request_end_.size()) {
        write(estimate_end_, observation.data() + request_end_.size());
    }
}

// Nodes, requests and, if there is room for them, estimates of the visible jobs.
void QueueEnv::observe_jobs(std::span<float> observation) const {
    std::fill(observation.begin(), observation.end(), 0.0F);
    const WaitingQueue& queue = view_->queue();
    const double scale = 1 / options_.time_scale;
    const std::size_t visible = options_.visible;
    const bool estimates = observation.size() > 2 * visible;
    std::size_t slot = 0;
    for (Position at = queue.first(); at < queue.end() && slot < visible;
         at = queue.next(at), ++slot) {
        const JobIndex job = queue.job(at);
        observation[slot] = static_cast<float>(queue.nodes(at) / options_.node_scale);
        observation[visible + slot] =
            static_cast<float>(static_cast<double>(view_->request(job)) * scale);
        if (estimates) {
            observation[2 * visible + slot] =
                static_cast<float>(static_cast<double>(view_->estimate(job)) * scale);
        }
    }
    cut(observation);
}

void QueueEnv::observe_features(std::span<float> observation) const {
    std::fill(observation.begin(), observation.end(), 0.0F);
    const View& view = *view_;
    const WaitingQueue& queue = view.queue();
    const Time now = view.now();
    const auto machine = static_cast<double>(options_.nodes);
    const double unit = std::log1p(options_.time_scale);
    const auto log_time = [unit](Time time) {
        return static_cast<float>(std::log1p(static_cast<double>(time)) / unit);
    };

    float* to = observation.data();
    std::size_t slot = 0;
    for (Position at = queue.first(); at < queue.end() && slot < options_.visible;
         at = queue.next(at), ++slot, to += kJobFeatures) {
        const JobIndex job = queue.job(at);
        const NodeCount nodes = queue.nodes(at);
        const Time wait = now - view.eligible(job), estimate = view.estimate(job);
        const bool fits = nodes <= view.free_nodes();
        const double ran = std::max(static_cast<double>(estimate), 10.0);
        to[0] = log_time(view.request(job));
        to[1] = log_time(estimate);
        to[2] = static_cast<float>(nodes / machine);
        to[3] = log_time(wait);
        to[4] = static_cast<float>(std::log1p(static_cast<double>(wait) / ran) / unit);
        to[5] = fits;
        to[6] = fits ? 0.0F : log_time(view.shadow(nodes).time - now);
        to[7] = static_cast<float>(std::log1p(static_cast<double>(estimate) * nodes) /
                                   std::log1p(options_.time_scale * machine));
        to[8] = job == guard_.head();
        to[9] = legal(at);
    }

    to = observation.data() + kJobFeatures * options_.visible;
    std::array<double, kHorizons> freed{};
    view.releases().for_each([&](Time time, NodeCount nodes) {
        const double left = static_cast<double>(std::max<Time>(time - now, 0)) / options_.time_scale;
        for (std::size_t h = 0; h < kHorizons; ++h) {
            if (left <= std::ldexp(1.0, static_cast<int>(h) - static_cast<int>(kHorizons) + 1)) {
                freed[h] += nodes;
            }
        }
    });
    const double free = view.free_nodes();
    to[0] = static_cast<float>(free / machine);
    for (std::size_t h = 0; h < kHorizons; ++h) {
        to[1 + h] = static_cast<float>((free + freed[h]) / machine);
    }
    to[1 + kHorizons] = static_cast<float>(std::log1p(static_cast<double>(queue.size())) /
                                           std::log1p(10.0 * static_cast<double>(options_.visible)));
    to[2 + kHorizons] = guard_.has_head();
    cut(observation);
}

}  // namespace schedlab
