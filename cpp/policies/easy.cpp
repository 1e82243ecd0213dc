#include "policies/easy.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/view.h"

namespace schedlab {

Easy::Easy(std::shared_ptr<Order> order, std::size_t depth,
           std::shared_ptr<Order> candidates, double max_priority_gap)
    : OrderedPolicy(std::move(order), depth),
      candidates_(candidates == this->order() ? nullptr : std::move(candidates)),
      max_priority_gap_(max_priority_gap),
      on_nodes_(depth, max_priority_gap) {}

void Easy::begin(const View& view) {
    guard_.end();
    index_.clear();
    on_nodes_.begin(view);
    if (!candidates_) return;
    candidates_->begin();
    view.teach(*candidates_.pointer());
    if (!keeps_index() || !view.one_pool()) return;
    const WaitingQueue& queue = view.queue();
    for (Position at = queue.first(); at < queue.end(); at = queue.next(at)) {
        add_to_index(view, at);
    }
}

void Easy::schedule(View& view) {
    if (candidates_) {
        for (const JobIndex job : view.completed()) {
            candidates_->job_ended(view.submitted_job(job), view.ran(job));
        }
    }
    if (!view.one_pool()) {
        const bool moves = order() && order()->keys_change() != KeysChange::never;
        on_nodes_.schedule(view, candidates_.pointer().get(), moves);
        return;
    }
    if (keeps_index()) update_index(view);
    if (nothing_but_newcomers(view)) {
        backfill_newcomers(view);
    } else {
        pass(view);
    }
}

// When no nodes came free and the head is still the same, a job that could not start at the last
// pass cannot start now: the time before the shadow and the free and extra nodes only shrink.
bool Easy::nothing_but_newcomers(const View& view) const {
    const WaitingQueue& queue = view.queue();
    return guard_.has_head() && queue.job(queue.first()) == guard_.head() &&
           view.completed().empty() && !view.plans_are_void() && !view.machine_changed() &&
           considered_all_ && queue.size() <= depth() && std::isinf(max_priority_gap_);
}

void Easy::pass(View& view) {
    const WaitingQueue& queue = view.queue();
    const Position end = queue.end_of_first(depth());
    considered_all_ = end == queue.end();
    Position at = queue.first();
    for (; at < end && queue.nodes(at) <= view.free_nodes(); at = queue.next(at)) {
        if (keeps_index()) drop_from_index(view, at);
        view.start(at);
    }
    if (at >= end) {
        guard_.end();
        return;
    }
    guard_.begin(view, queue.job(at));
    if (keeps_index()) {
        backfill_by_index(view);
    } else {
        backfill(view, at + 1, std::min(end, queue.end_of_keys(queue.key(at) + max_priority_gap_)));
    }
}

void Easy::backfill(View& view, Position from, Position end) {
    const WaitingQueue& queue = view.queue();
    const Time slack = guard_.slack(view);
    std::vector<Position> found;
    for (; view.free_nodes() > 0; ++from) {
        from = queue.find_backfill(from, end, view.free_nodes(), slack, guard_.extra());
        if (from >= end) break;
        if (!guard_.allows(view, queue.job(from))) continue;
        if (candidates_) {
            found.push_back(from);
        } else {
            start(view, from);
        }
    }
    if (candidates_) backfill_sorted(view, found);
}

void Easy::backfill_by_index(View& view) {
    const Time slack = guard_.slack(view);
    for (Position at = index_.first(); view.free_nodes() > 0; ++at) {
        at = index_.find_backfill(at, index_.end(), view.free_nodes(), slack, guard_.extra());
        if (at >= index_.end()) break;
        const JobIndex job = index_.job(at);
        if (guard_.allows(view, job)) start(view, view.queue().find(job));
    }
}

void Easy::backfill_newcomers(View& view) {
    if (view.free_nodes() == 0) return;
    const WaitingQueue& queue = view.queue();
    std::vector<Position> found;
    for (const JobIndex job : view.submitted()) {
        if (!guard_.allows(view, job)) continue;
        const Position position = queue.find(job);
        if (position < queue.end()) found.push_back(position);  // else withdrawn at once
    }
    if (candidates_) {
        backfill_sorted(view, found);
        return;
    }
    std::sort(found.begin(), found.end());
    for (const Position position : found) {
        if (guard_.allows(view, queue.job(position))) start(view, position);
    }
}

void Easy::backfill_sorted(View& view, const std::vector<Position>& candidates) {
    const WaitingQueue& queue = view.queue();
    std::vector<WaitingJob> jobs;
    for (const Position position : candidates) jobs.push_back(view.waiting(position));
    std::vector<double> keys(jobs.size());
    candidates_->keys(jobs, view.machine(), keys);
    std::vector<std::tuple<double, std::int64_t, Position>> ranked;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ranked.emplace_back(keys[i], jobs[i].arrival, candidates[i]);
    }
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [key, arrival, position] : ranked) {
        if (guard_.allows(view, queue.job(position))) start(view, position);
    }
}

void Easy::start(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    guard_.will_start(view, job);
    if (keeps_index()) drop_from_index(view, position);
    view.start(position);
}

bool Easy::keeps_index() const {
    return candidates_ && candidates_->keys_change() == KeysChange::never &&
           depth() == kUnlimited && std::isinf(max_priority_gap_);
}

void Easy::update_index(const View& view) {
    index_.tidy();
    for (const JobIndex job : view.submitted()) {
        const Position position = view.queue().find(job);
        if (position < view.queue().end()) add_to_index(view, position);  // else withdrawn at once
    }
    for (const JobIndex job : view.cancelled()) {
        const Position position = index_.find(job);
        if (position < index_.end()) index_.remove(position);
    }
}

void Easy::add_to_index(const View& view, Position position) {
    const WaitingJob job = view.waiting(position);
    index_.insert(job, candidate_key(view, job));
}

void Easy::drop_from_index(const View& view, Position position) {
    const WaitingJob job = view.waiting(position);
    index_.remove(index_.find(job.job, candidate_key(view, job)));
}

double Easy::candidate_key(const View& view, const WaitingJob& job) const {
    double key = 0;
    candidates_->keys({&job, 1}, view.machine(), {&key, 1});
    return key;
}

}  // namespace schedlab
