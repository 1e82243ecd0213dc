#include "policies/conservative.h"

#include <algorithm>

#include "core/view.h"

namespace schedlab {

void Conservative::begin(const View& view) {
    profile_.rebuild(view.now(), view.free_nodes(), view.releases(), view.soonest_release());
    planned_start_.assign(view.jobs(), kNone);
    promised_ = 0;
    due_ = {};
    broken_ = false;
}

void Conservative::schedule(View& view) {
    planned_start_.resize(view.jobs(), kNone);  // on a live cluster there are more each time
    const bool room = take_in_changes(view);
    broken_ = view.overdue() || (broken_ && a_promise_is_past(view));
    if (broken_ || view.plans_are_void()) {
        replan(view);
    } else if (room && promised_ > 0 && !frozen_) {
        move_earlier(view);
    }
    plan_newcomers(view);
    start_due(view);
    if (!broken_ && next_due() != kNever) view.wake_at(next_due());
}

bool Conservative::take_in_changes(const View& view) {
    bool room = false;
    profile_.advance(view.now());
    for (const JobIndex job : view.completed()) {
        const Time expected = view.expected_release(job);
        if (expected <= view.now()) continue;
        profile_.release(view.now(), expected, view.nodes(job));
        room = true;
    }
    for (const JobIndex job : view.cancelled()) {
        Time& start = planned_start_[job];
        if (start == kNone) continue;
        profile_.release(start, start + view.planned(job), view.nodes(job));
        start = kNone;
        --promised_;
        room = true;
    }
    return room;
}

bool Conservative::a_promise_is_past(const View& view) const {
    const WaitingQueue& queue = view.queue();
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        const Time start = planned_start_[queue.job(at)];
        if (start != kNone && start < view.now()) return true;
    }
    return false;
}

void Conservative::replan(View& view) {
    const WaitingQueue& queue = view.queue();
    profile_.rebuild(view.now(), view.free_nodes(), view.releases(), view.soonest_release());
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        if (planned_start_[queue.job(at)] != kNone) plan(view, queue.job(at));
    }
}

void Conservative::move_earlier(View& view) {
    const WaitingQueue& queue = view.queue();
    std::size_t left = promised_;
    for (auto at = queue.first(); left > 0; at = queue.next(at)) {
        const JobIndex job = queue.job(at);
        const Time start = planned_start_[job];
        if (start == kNone) continue;
        --left;
        const NodeCount nodes = queue.nodes(at);
        const Time duration = view.planned(job);
        // Its own place counts as free, so a window need only be free until that begins.
        const Time earlier = profile_.earliest_before(start, nodes, duration);
        if (earlier == start) continue;
        profile_.move_earlier(start, earlier, duration, nodes);
        set_start(job, earlier);
    }
}

void Conservative::set_start(JobIndex job, Time start) {
    planned_start_[job] = start;
    due_.push({start, job});
}

void Conservative::plan(View& view, JobIndex job) {
    set_start(job, profile_.reserve_earliest(view.nodes(job), view.planned(job)));
}

void Conservative::plan_newcomers(View& view) {
    const WaitingQueue& queue = view.queue();
    const auto end = queue.end_of_first(depth());
    if (oldest_first_) {
        const JobIndex oldest = queue.job(queue.oldest());
        if (planned_start_[oldest] == kNone) promise(view, oldest);
    }
    for (auto at = queue.first(); at < end && promised_ < queue.size(); at = queue.next(at)) {
        if (planned_start_[queue.job(at)] == kNone) promise(view, queue.job(at));
    }
}

void Conservative::promise(View& view, JobIndex job) {
    plan(view, job);
    ++promised_;
    view.promise(job, planned_start_[job]);
}

Time Conservative::next_due() {
    const auto given_up = [this](const Event& e) { return planned_start_[e.job] != e.time; };
    if (due_.size() > 64 + 4 * promised_) due_.remove_if(given_up);
    while (!due_.empty() && given_up(due_.top())) due_.pop();
    return due_.empty() ? kNever : due_.top().time;
}

void Conservative::start_due(View& view) {
    const WaitingQueue& queue = view.queue();
    for (auto at = queue.first(); next_due() <= view.now(); at = queue.next(at)) {
        Time& start = planned_start_[queue.job(at)];
        if (start == kNone || start > view.now()) continue;
        start = kNone;
        --promised_;
        view.start(at);
    }
}

// Jobs behind this position have a promise already.
WaitingQueue::Position ConservativeRebuild::end_of_unpromised(const View& view,
                                                              WaitingQueue::Position end) const {
    const WaitingQueue& queue = view.queue();
    while (end > queue.first() &&
           (!queue.waits(end - 1) || view.promised(queue.job(end - 1)) != kNone)) {
        --end;
    }
    return end;
}

void ConservativeRebuild::schedule(View& view) {
    const WaitingQueue& queue = view.queue();
    profile_.rebuild(view.now(), view.free_nodes(), view.releases(), view.soonest_release());
    const auto end = queue.end_of_first(depth());
    const auto unpromised = end_of_unpromised(view, end);
    for (auto at = queue.first(); at < end; at = queue.next(at)) {
        if (view.free_nodes() == 0 && at >= unpromised) break;  // no plan left that matters
        const JobIndex job = queue.job(at);
        const Time start = profile_.reserve_earliest(queue.nodes(at), view.planned(job));
        view.promise(job, start);
        if (start == view.now()) view.start(at);
    }
}

}  // namespace schedlab
