#include "env/queue_env.h"

#include <algorithm>

namespace schedlab {
namespace {

constexpr Time kLongestInterval = 86'400;  // doubling must end before the clock does

}  // namespace

void QueueEnv::reset(std::shared_ptr<Simulator> simulator) {
    attach(std::move(simulator));
    go_on();
    reward_ = 0;
}

void QueueEnv::attach(std::shared_ptr<Simulator> simulator) {
    sim_ = std::move(simulator);
    view_.emplace(*sim_);
    steps_ = started_ = interval_ = 0;
    slowdowns_of_started_ = slowdowns_paid_ = 0;
    failures_ = 0;
    refuses_ = false;
    guard_.end();
    request_end_.assign(options_.nodes, 0);
    estimate_end_.assign(options_.nodes, 0);
    if (options_.reward == Reward::utilisation) {
        bound_.emplace(*sim_);
        first_bound_ = bound_->now();
    }
}

Step QueueEnv::step(std::int64_t action) {
    const Time bound = bound_ ? bound_->now() : 0;
    ++steps_;
    reward_ = 0;
    if (!decide(action)) {
        go_on();
        if (options_.reward == Reward::slowdown) pay_slowdowns();
    }
    if (bound_) reward_ = -static_cast<double>(bound_->now() - bound) / first_bound_;
    const bool terminated = started_ == static_cast<std::int64_t>(sim_->jobs());
    const bool truncated = !terminated && steps_ >= options_.max_steps;
    if (options_.reward == Reward::terminal && (terminated || truncated)) {
        reward_ += terminal_reward();
    }
    return {reward_, terminated, truncated};
}

bool QueueEnv::decide(std::int64_t action) {
    const Position position = visible_position(action);
    if (position == view_->queue().end()) {
        refuses_ = options_.mode != Mode::pick && !guard_.has_head();
        return false;
    }
    return options_.mode == Mode::pick ? pick(position) : choose(position);
}

// The waiting job that the action picks; the queue's end if it picks none.
QueueEnv::Position QueueEnv::visible_position(std::int64_t action) const {
    const WaitingQueue& queue = view_->queue();
    const auto place = static_cast<std::size_t>(action);
    if (place >= options_.visible || place >= queue.size()) return queue.end();
    Position at = queue.first();
    for (std::size_t i = 0; i < place; ++i) at = queue.next(at);
    return at;
}

bool QueueEnv::pick(Position position) {
    if (view_->queue().nodes(position) > view_->free_nodes()) {
        return ++failures_ < options_.max_failures;
    }
    failures_ = 0;
    start(position);
    return !view_->queue().empty();
}

bool QueueEnv::choose(Position position) {
    const JobIndex job = view_->queue().job(position);
    if (!guard_.has_head()) {
        if (view_->nodes(job) <= view_->free_nodes()) {
            start(position);
        } else {
            guard_.begin(*view_, job);
            if (options_.mode == Mode::order) fill_in();
        }
    } else if (guard_.allows(*view_, job)) {
        failures_ = 0;
        guard_.will_start(*view_, job);
        start(position);
    } else if (++failures_ == options_.max_failures) {
        return false;
    }
    return anything_to_decide();
}

// EASY in order of arrival.
void QueueEnv::fill_in() {
    const WaitingQueue& queue = view_->queue();
    for (Position at = queue.first(); at < queue.end(); at = queue.next(at)) {
        const JobIndex job = queue.job(at);
        if (!guard_.allows(*view_, job)) continue;
        guard_.will_start(*view_, job);
        start(at);
    }
}

bool QueueEnv::legal(Position position) const {
    const JobIndex job = view_->queue().job(position);
    const bool fits = view_->nodes(job) <= view_->free_nodes();
    if (options_.mode == Mode::pick) return fits;
    return guard_.has_head() ? guard_.allows(*view_, job) : true;
}

// Whether a decision of the agent could start a job now.
bool QueueEnv::anything_to_decide() const {
    if (options_.mode == Mode::order && guard_.has_head()) return false;
    const WaitingQueue& queue = view_->queue();
    std::size_t seen = 0;
    for (Position at = queue.first(); at < queue.end() && seen < options_.visible;
         at = queue.next(at), ++seen) {
        const bool could_start = guard_.has_head()
                                     ? guard_.allows(*view_, queue.job(at))
                                     : queue.nodes(at) <= view_->free_nodes();
        if (could_start) return true;
    }
    return false;
}

void QueueEnv::start(Position position) {
    const JobIndex job = view_->queue().job(position);
    view_->start(position);
    ++started_;
    occupy(job);
    if (bound_) bound_->started(job);
    if (options_.reward == Reward::slowdown) {
        slowdowns_of_started_ += bounded_slowdown(job, view_->now());
    }
}

void QueueEnv::go_on() {
    do {
        leave();
        if (!sim_->advance()) return;
    } while (!enter());
}

// An interval in which nothing happens ends too, if only the agent keeps jobs from starting.
void QueueEnv::leave() {
    const bool idle = (options_.mode == Mode::pick || refuses_) && !view_->queue().empty() &&
                      view_->free_nodes() > 0;
    failures_ = 0;
    refuses_ = false;
    guard_.end();
    if (interval_ == 0) interval_ = options_.tick;
    if (idle) view_->wake_at(view_->now() + interval_);
}

bool QueueEnv::enter() {
    take_in_changes();
    const bool nothing_happened = view_->completed().empty() && view_->submitted().empty();
    if (!nothing_happened) {
        interval_ = options_.tick;
    } else if (options_.doubling) {
        interval_ = std::min(2 * interval_, std::max(kLongestInterval, options_.tick));
    }
    return options_.mode == Mode::pick || anything_to_decide();
}

void QueueEnv::occupy(JobIndex job) {
    const auto request_end = static_cast<double>(view_->now() + view_->request(job));
    const auto estimate_end = static_cast<double>(view_->now() + view_->estimate(job));
    for (const NodeRange range : sim_->nodes_of(job)) {
        for (NodeIndex node = range.first; node <= range.last; ++node) {
            request_end_[node] = request_end;
            estimate_end_[node] = estimate_end;
        }
    }
}

void QueueEnv::take_in_changes() {
    for (const JobIndex job : view_->completed()) {
        for (const NodeRange range : sim_->nodes_of(job)) {
            std::fill(&request_end_[range.first], &request_end_[range.last] + 1, 0.0);
            std::fill(&estimate_end_[range.first], &estimate_end_[range.last] + 1, 0.0);
        }
        if (bound_) bound_->completed(job);
    }
    if (!view_->plans_are_void()) return;
    for (const JobIndex job : view_->running()) {
        const auto end = static_cast<double>(view_->start_of(job) + view_->estimate(job));
        for (const NodeRange range : sim_->nodes_of(job)) {
            std::fill(&estimate_end_[range.first], &estimate_end_[range.last] + 1, end);
        }
    }
}

// Paid while jobs wait, not when they start. Otherwise the start of a job would seem to cost what
// its wait has already cost, and waiting for ever would seem free.
void QueueEnv::pay_slowdowns() {
    const WaitingQueue& queue = view_->queue();
    double sum = slowdowns_of_started_;
    for (Position at = queue.first(); at < queue.end(); at = queue.next(at)) {
        sum += bounded_slowdown(queue.job(at), view_->now());
    }
    reward_ -= sum - slowdowns_paid_;
    slowdowns_paid_ = sum;
}

// The bounded slowdown of a job that starts at this time.
double QueueEnv::bounded_slowdown(JobIndex job, Time start) const {
    constexpr double kShortest = 10;
    const auto wait = static_cast<double>(start - sim_->eligible_times()[job]);
    const auto runs = static_cast<double>(sim_->run_time(job));
    return std::max(1.0, (wait + runs) / std::max(runs, kShortest));
}

std::array<std::int64_t, QueueEnv::kState.size()> QueueEnv::state() const {
    if (!view_) return {};
    const auto waiting = static_cast<std::int64_t>(view_->queue().size());
    const auto running = started_ - static_cast<std::int64_t>(sim_->ended());
    return {sim_->now(), waiting, running, view_->free_nodes(), started_, steps_};
}

double QueueEnv::utilisation() const {
    const JobTable& jobs = sim_->table();
    double used = 0;
    Time last = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (sim_->start_times()[i] == kNone) continue;
        const Time ran = sim_->end_times()[i] - sim_->start_times()[i];
        used += static_cast<double>(jobs.nodes[i]) * static_cast<double>(ran);
        last = std::max(last, sim_->end_times()[i]);
    }
    const Time makespan = last - jobs.submit.front();
    return makespan > 0 ? used / (static_cast<double>(options_.nodes) * makespan) : 0;
}

double QueueEnv::mean_wait() const {
    double sum = 0;
    for (std::size_t i = 0; i < sim_->jobs(); ++i) {
        if (sim_->start_times()[i] == kNone) continue;
        sum += static_cast<double>(sim_->start_times()[i] - sim_->eligible_times()[i]);
    }
    return started_ > 0 ? sum / static_cast<double>(started_) : 0;
}

double QueueEnv::mean_bounded_slowdown() const {
    double sum = 0;
    for (std::size_t i = 0; i < sim_->jobs(); ++i) {
        const Time start = sim_->start_times()[i];
        if (start != kNone) sum += bounded_slowdown(static_cast<JobIndex>(i), start);
    }
    return started_ > 0 ? sum / static_cast<double>(started_) : 0;
}

double QueueEnv::terminal_reward() const {
    const auto steps_left = static_cast<double>(options_.max_steps - steps_);
    const double share_started = static_cast<double>(started_) / static_cast<double>(sim_->jobs());
    const double share_left = steps_left / static_cast<double>(options_.max_steps);
    return options_.started_weight * share_started +
           options_.utilisation_weight * utilisation() + options_.steps_left_weight * share_left;
}

void QueueEnv::mask(std::span<std::uint8_t> allowed) const {
    std::fill(allowed.begin(), allowed.end(), 0);
    const WaitingQueue& queue = view_->queue();
    std::size_t slot = 0;
    for (Position at = queue.first(); at < queue.end() && slot < options_.visible;
         at = queue.next(at), ++slot) {
        allowed[slot] = legal(at);
    }
    // Waiting makes sense where time alone can change something, or the head is known already.
    allowed[options_.visible] = options_.mode == Mode::pick || guard_.has_head();
}

}  // namespace schedlab
