#include "env/gantt_env.h"

#include <algorithm>

namespace schedlab {

GanttEnv::GanttEnv(const GanttOptions& options)
    : options_(options), chart_(options.resources, options.window) {}

void GanttEnv::reset(std::vector<GanttJob> jobs) {
    jobs_ = std::move(jobs);
    start_.assign(jobs_.size(), kNone);
    ranges_.clear();
    ranges_of_.assign(jobs_.size(), {0, 0});
    chart_.clear();
    slots_.assign(options_.slots, kNoJob);
    placed_.clear();
    present_.assign(options_.window + 1, 0);
    backlog_ = next_ = 0;
    steps_ = started_ = completed_ = 0;
    slowdowns_ = 0;
    now_ = jobs_.front().submit;
    arrive();
}

Step GanttEnv::step(std::int64_t action) {
    const double before = cost();
    ++steps_;
    if (!place(action)) advance();
    const bool terminated = completed_ == static_cast<std::int64_t>(jobs_.size());
    return {before - cost(), terminated, !terminated && steps_ >= options_.max_steps};
}

double GanttEnv::cost() const {
    return options_.reward == GanttReward::mean ? mean_slowdown() : slowdowns_;
}

std::array<std::int64_t, GanttEnv::kState.size()> GanttEnv::state() const {
    const auto shown = std::ranges::count_if(slots_, [](JobIndex job) { return job != kNoJob; });
    const auto waiting = static_cast<std::int64_t>(backlog()) + shown;
    return {now_, waiting, started_ - completed_, started_, steps_};
}

double GanttEnv::mean_slowdown() const {
    return slowdowns_ / static_cast<double>(std::max<JobIndex>(next_, 1));
}

bool GanttEnv::place(std::int64_t action) {
    const auto slot = static_cast<std::size_t>(action);
    if (slot >= options_.slots || slots_[slot] == kNoJob) return false;
    const JobIndex job = slots_[slot];
    const Time start = earliest_start(job);
    if (start == kNone) return false;

    const std::size_t from = ranges_.size();
    chart_.reserve(start, jobs_[job].resources, jobs_[job].duration, colour(), ranges_);
    ranges_of_[job] = {from, ranges_.size()};
    start_[job] = now_ + start;
    placed_.push_back(job);
    ++started_;
    slots_[slot] = backlog_ < next_ ? backlog_++ : kNoJob;
    return true;
}

Time GanttEnv::earliest_start(JobIndex job) const {
    return chart_.earliest_start(jobs_[job].resources, jobs_[job].duration);
}

// Colours take turns, so that neighbours in the chart can be told apart.
float GanttEnv::colour() const {
    if (options_.colours == 0) return 1;
    const std::size_t turn = static_cast<std::size_t>(started_) % options_.colours;
    return static_cast<float>(turn + 1) / static_cast<float>(options_.colours + 1);
}

void GanttEnv::advance() {
    for (Time duration = 1; duration <= options_.window; ++duration) {
        slowdowns_ += static_cast<double>(present_[duration]) / static_cast<double>(duration);
    }
    ++now_;
    chart_.advance();
    complete();
    arrive();
}

void GanttEnv::complete() {
    const auto ended = [this](JobIndex job) { return start_[job] + jobs_[job].duration == now_; };
    for (const JobIndex job : placed_) {
        if (ended(job)) --present_[jobs_[job].duration];
    }
    completed_ += static_cast<std::int64_t>(std::erase_if(placed_, ended));
}

void GanttEnv::arrive() {
    const auto jobs = static_cast<JobIndex>(jobs_.size());
    for (; next_ < jobs && jobs_[next_].submit == now_; ++next_) {
        ++present_[jobs_[next_].duration];
        last_arrival_ = now_;
        const auto empty = std::find(slots_.begin(), slots_.end(), kNoJob);
        if (empty == slots_.end()) continue;
        *empty = next_;
        backlog_ = next_ + 1;
    }
}

std::span<const NodeRange> GanttEnv::resources_of(JobIndex job) const {
    const auto [from, until] = ranges_of_.at(job);
    return std::span(ranges_).subspan(from, until - from);
}

void GanttEnv::mask(std::span<std::uint8_t> legal) const {
    for (std::size_t slot = 0; slot < options_.slots; ++slot) {
        legal[slot] = slots_[slot] != kNoJob && earliest_start(slots_[slot]) != kNone;
    }
    legal[options_.slots] = 1;
}

}  // namespace schedlab
