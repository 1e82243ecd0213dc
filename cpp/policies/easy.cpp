#include "policies/easy.h"

#include <algorithm>

#include "core/view.h"

namespace schedlab {

Easy::Easy(std::shared_ptr<const Order> order, std::size_t depth,
           std::shared_ptr<const Order> candidates)
    : OrderedPolicy(std::move(order), depth), candidates_(std::move(candidates)) {}

void Easy::begin(const View&) { head_ = kNoJob; }

void Easy::schedule(View& view) {
    if (nothing_but_newcomers(view)) {
        backfill_newcomers(view);
    } else {
        pass(view);
    }
}

// When no nodes came free and the head is still the same, whatever could not start at the last
// pass cannot start now: the time before the shadow and the free and extra nodes only shrink.
bool Easy::nothing_but_newcomers(const View& view) const {
    const WaitingQueue& queue = view.queue();
    return head_ != kNoJob && queue.job(queue.first()) == head_ && view.completed().empty() &&
           !view.overdue() && considered_all_ && queue.size() <= depth();
}

void Easy::pass(View& view) {
    const WaitingQueue& queue = view.queue();
    const Position end = queue.end_of_first(depth());
    considered_all_ = end == queue.end();
    Position at = queue.first();
    while (at < end && queue.nodes(at) <= view.free_nodes()) {
        view.start(at);
        at = queue.next(at);
    }
    head_ = at < end ? queue.job(at) : kNoJob;
    if (head_ == kNoJob) return;
    shadow_ = view.shadow(view.nodes(head_));
    view.promise(head_, shadow_.time);
    backfill_in_queue_order(view, at + 1, end);
}

void Easy::backfill_in_queue_order(View& view, Position from, Position end) {
    const WaitingQueue& queue = view.queue();
    std::vector<Position> found;
    while (view.free_nodes() > 0) {
        const Time slack = shadow_.time - view.now();
        from = queue.find_backfill(from, end, view.free_nodes(), slack, shadow_.extra);
        if (from == end) break;
        if (may_start(view, queue.job(from))) {
            if (candidates_) {
                found.push_back(from);
            } else {
                start(view, from);
            }
        }
        ++from;
    }
    if (candidates_) backfill_sorted(view, std::move(found));
}

void Easy::backfill_newcomers(View& view) {
    if (view.free_nodes() == 0) return;
    const WaitingQueue& queue = view.queue();
    std::vector<Position> found;
    for (const JobIndex job : view.submitted()) {
        if (!may_start(view, job)) continue;
        const Position position = queue.find(job);
        if (position != queue.end()) found.push_back(position);  // else withdrawn at once
    }
    std::sort(found.begin(), found.end());
    if (candidates_) {
        backfill_sorted(view, std::move(found));
        return;
    }
    for (const Position position : found) {
        if (may_start(view, queue.job(position))) start(view, position);
    }
}

// `candidates` are in queue order, which breaks ties.
void Easy::backfill_sorted(View& view, std::vector<Position> candidates) {
    std::vector<WaitingJob> jobs;
    for (const Position position : candidates) jobs.push_back(view.waiting(position));
    std::vector<double> keys(jobs.size());
    candidates_->keys(jobs, view.now(), keys);
    std::vector<std::pair<double, Position>> ranked;
    for (std::size_t i = 0; i < keys.size(); ++i) ranked.emplace_back(keys[i], candidates[i]);
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [key, position] : ranked) {
        if (may_start(view, view.queue().job(position))) start(view, position);
    }
}

bool Easy::may_start(const View& view, JobIndex job) const {
    const NodeCount nodes = view.nodes(job);
    return nodes <= view.free_nodes() &&
           (view.request(job) <= shadow_.time - view.now() || nodes <= shadow_.extra);
}

void Easy::start(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    const bool ends_in_time = view.request(job) <= shadow_.time - view.now();
    if (!ends_in_time) shadow_.extra -= view.nodes(job);
    view.start(position);
}

}  // namespace schedlab
