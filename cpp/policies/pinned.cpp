#include "policies/pinned.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "core/view.h"

namespace schedlab {

void Pinned::begin(const View& view) {
    forget_plans(view);
    broken_ = false;
}

void Pinned::schedule(View& view) {
    planned_.resize(view.jobs(), false);  // on a live cluster the number of jobs grows
    const bool from_scratch = broken_ || view.plans_are_void();
    broken_ = view.overdue();
    if (from_scratch) {
        forget_plans(view);
    } else {
        take_in_changes(view);
    }
    start_due(view);
    const bool submitted = !view.submitted().empty();
    if (submitted) drop_all_but_head();
    if (from_scratch || submitted || !view.completed().empty() || !view.cancelled().empty()) {
        plan_window(view);
    }
    if (plans_.empty() || broken_) return;
    const auto first = std::min_element(plans_.begin(), plans_.end(),
                                        [](const Plan& a, const Plan& b) { return a.before(b); });
    view.wake_at(first->start);
}

void Pinned::forget_plans(const View& view) {
    plans_.clear();
    planned_.assign(view.jobs(), false);
    head_ = kNoJob;
    timeline_.clear(view.now(), view.total_nodes());
    for (const JobIndex job : view.running()) {
        const Time release = std::max(view.expected_release(job), view.soonest_release());
        timeline_.hold(view.now(), release, {view.total_nodes(), view.nodes_of(job)});
    }
}

void Pinned::take_in_changes(const View& view) {
    timeline_.advance(view.now());
    for (const JobIndex job : view.completed()) {
        const Time expected = view.expected_release(job);
        if (expected <= view.now()) continue;
        timeline_.release(view.now(), expected, {view.total_nodes(), view.nodes_of(job)});
    }
    if (!view.cancelled().empty()) drop_withdrawn(view);
}

void Pinned::drop_withdrawn(const View& view) {
    const auto gone = view.cancelled();
    std::erase_if(plans_, [&](const Plan& plan) {
        if (std::find(gone.begin(), gone.end(), plan.job) == gone.end()) return false;
        // If this was the last waiting job, its withdrawal may be long ago: no pass followed it.
        if (plan.end > view.now()) {
            timeline_.release(std::max(plan.start, view.now()), plan.end, plan.nodes);
        }
        plan_ended(plan);
        return true;
    });
}

void Pinned::plan_ended(const Plan& plan) {
    planned_[plan.job] = false;
    if (plan.job == head_) head_ = kNoJob;
}

void Pinned::drop_all_but_head() {
    std::erase_if(plans_, [this](const Plan& plan) {
        if (plan.job == head_) return false;
        timeline_.release(plan.start, plan.end, plan.nodes);
        plan_ended(plan);
        return true;
    });
}

void Pinned::start_due(View& view) {
    std::erase_if(plans_, [&](const Plan& plan) {
        if (plan.start > view.now()) return false;
        view.start_on(view.queue().find(plan.job), plan.nodes.ranges());
        plan_ended(plan);
        return true;
    });
}

void Pinned::plan_window(View& view) {
    const WaitingQueue& queue = view.queue();
    const std::vector<Position> window = unplanned(queue);
    const auto settled = [&](Position at) { return !queue.waits(at) || planned_[queue.job(at)]; };
    auto next = window.begin();
    for (auto left = std::max<std::size_t>(window.size(), 1); !queue.empty(); --left) {
        if (head_ == kNoJob && settled(queue.oldest())) head_ = queue.job(queue.oldest());
        if (left == 0) return;
        if (head_ == kNoJob) {
            place(view, queue.oldest());
            continue;
        }
        next = std::find_if_not(next, window.end(), settled);
        if (next == window.end()) return;
        place(view, *next);
    }
}

std::vector<Pinned::Position> Pinned::unplanned(const WaitingQueue& queue) const {
    std::vector<Position> found;
    const Position end = queue.end_of_first(depth());
    for (Position at = queue.first(); at < end; at = queue.next(at)) {
        if (!planned_[queue.job(at)]) found.push_back(at);
    }
    return found;
}

void Pinned::place(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    const auto [start, nodes] = timeline_.earliest(view.nodes(job), view.planned(job));
    const bool now = start == view.now();
    if (!now && head_ != kNoJob && start_by_pushing(view, position)) return;
    view.promise(job, start);
    timeline_.hold(start, start + view.planned(job), nodes);
    if (now) {
        view.start_on(position, nodes.ranges());
        return;
    }
    plans_.push_back({job, start, start + view.planned(job), nodes});
    planned_[job] = true;
    if (head_ == kNoJob) head_ = job;
}

bool Pinned::start_by_pushing(View& view, Position position) {
    if (push_ == Push::none) return false;
    const Time now = view.now();
    const JobIndex job = view.queue().job(position);
    const Time end = now + view.planned(job);
    const auto estimate = static_cast<double>(view.estimate(job));
    NodeSet free = timeline_.free_until(now + static_cast<Time>(std::ceil(estimate / alpha_)));
    if (head_plan().start < end) free.remove(head_plan().nodes);
    if (free.count() < view.nodes(job)) return false;
    const Plan pusher{job, now, end, free.lowest(view.nodes(job))};
    push_back_plans(pusher);
    view.promise(job, now);
    view.start_on(position, pusher.nodes.ranges());
    return true;
}

void Pinned::push_back_plans(const Plan& pusher) {
    std::vector<Plan> settled{head_plan(), pusher};
    std::vector<Plan> pushed = take_out_overlapping(pusher);
    timeline_.hold(pusher.start, pusher.end, pusher.nodes);
    while (!pushed.empty()) {
        const auto first = std::min_element(
            pushed.begin(), pushed.end(), [](const Plan& a, const Plan& b) { return a.before(b); });
        Plan plan = std::move(*first);
        pushed.erase(first);
        move_back(plan, settled);
        std::ranges::move(take_out_overlapping(plan), std::back_inserter(pushed));
        timeline_.hold(plan.start, plan.end, plan.nodes);
        settled.push_back(std::move(plan));
    }
    std::move(settled.begin() + 2, settled.end(), std::back_inserter(plans_));
}

std::vector<Pinned::Plan> Pinned::take_out_overlapping(const Plan& plan) {
    const auto out = std::stable_partition(plans_.begin(), plans_.end(), [&](const Plan& other) {
        return other.job == head_ || !other.overlaps(plan);
    });
    std::vector<Plan> taken(std::make_move_iterator(out), std::make_move_iterator(plans_.end()));
    plans_.erase(out, plans_.end());
    for (const Plan& other : taken) timeline_.release(other.start, other.end, other.nodes);
    return taken;
}

void Pinned::move_back(Plan& plan, const std::vector<Plan>& settled) const {
    if (push_ == Push::hole) {
        plan.move_to(timeline_.earliest_on(plan.nodes, plan.start, plan.end - plan.start));
        return;
    }
    const auto in_the_way = [&plan](const Plan& other) { return plan.overlaps(other); };
    for (;;) {
        const auto found = std::find_if(settled.begin(), settled.end(), in_the_way);
        if (found == settled.end()) return;
        plan.move_to(found->end);
    }
}

const Pinned::Plan& Pinned::head_plan() const {
    const auto found = std::find_if(plans_.begin(), plans_.end(),
                                    [this](const Plan& plan) { return plan.job == head_; });
    assert(found != plans_.end());
    return *found;
}

}  // namespace schedlab
