#include "policies/conservative.h"

#include <algorithm>

#include "core/view.h"

namespace schedlab {

template <typename Plan>
void ConservativePasses<Plan>::begin(const View& view) {
    plan_ = {};
    plan_.rebuild(view);
    slots_.assign(view.jobs(), Slot{});
    promised_ = 0;
    due_ = {};
    broken_ = false;
}

template <typename Plan>
void ConservativePasses<Plan>::schedule(View& view) {
    slots_.resize(view.jobs());  // on a live cluster the number of jobs grows
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

template <typename Plan>
bool ConservativePasses<Plan>::take_in_changes(const View& view) {
    bool room = false;
    plan_.advance(view);
    for (const JobIndex job : view.started()) {  // by preempting others
        forget(job);
    }
    for (const JobIndex job : view.completed()) forget(job);  // a suspended job may have been lost
    if (!view.plans_are_void()) {
        for (const Closing& closing : view.closings()) plan_.close(view, closing);
        for (const JobIndex job : view.completed()) {
            if (view.expected_release(job) <= view.now()) continue;
            plan_.ended_early(view, job);
            room = true;
        }
    }
    for (const JobIndex job : view.cancelled()) {
        Slot& slot = slots_[job];
        if (slot.start == kNone) continue;
        plan_.release(view, job, slot);
        slot.start = kNone;
        --promised_;
        room = true;
    }
    return room;
}

template <typename Plan>
void ConservativePasses<Plan>::forget(JobIndex job) {
    promised_ -= slots_[job].start != kNone;
    slots_[job] = {};
}

template <typename Plan>
bool ConservativePasses<Plan>::a_promise_is_past(const View& view) const {
    const WaitingQueue& queue = view.queue();
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        const Time start = slots_[queue.job(at)].start;
        if (start != kNone && start < view.now()) return true;
    }
    return false;
}

template <typename Plan>
void ConservativePasses<Plan>::replan(View& view) {
    const WaitingQueue& queue = view.queue();
    plan_.rebuild(view);
    for (auto at = queue.first(); at < queue.end(); at = queue.next(at)) {
        if (slots_[queue.job(at)].start != kNone) plan(view, queue.job(at));
    }
}

template <typename Plan>
void ConservativePasses<Plan>::move_earlier(View& view) {
    const WaitingQueue& queue = view.queue();
    std::size_t left = promised_;
    for (auto at = queue.first(); left > 0; at = queue.next(at)) {
        const JobIndex job = queue.job(at);
        Slot& slot = slots_[job];
        if (slot.start == kNone) continue;
        --left;
        if (plan_.move_earlier(view, job, slot)) due_.push({slot.start, job});
    }
}

template <typename Plan>
void ConservativePasses<Plan>::plan(View& view, JobIndex job) {
    slots_[job] = plan_.reserve_earliest(view, job);
    due_.push({slots_[job].start, job});
}

template <typename Plan>
void ConservativePasses<Plan>::plan_newcomers(View& view) {
    const WaitingQueue& queue = view.queue();
    const auto end = queue.end_of_first(depth_);
    if (oldest_first_) {
        const JobIndex oldest = queue.job(queue.oldest());
        if (slots_[oldest].start == kNone) promise(view, oldest);
    }
    for (auto at = queue.first(); at < end && promised_ < queue.size(); at = queue.next(at)) {
        if (slots_[queue.job(at)].start == kNone) promise(view, queue.job(at));
    }
}

template <typename Plan>
void ConservativePasses<Plan>::promise(View& view, JobIndex job) {
    plan(view, job);
    ++promised_;
    view.promise(job, slots_[job].start);
}

template <typename Plan>
Time ConservativePasses<Plan>::next_due() {
    const auto given_up = [this](const Event& e) { return slots_[e.index].start != e.time; };
    if (due_.size() > 64 + 4 * promised_) due_.remove_if(given_up);
    while (!due_.empty() && given_up(due_.top())) due_.pop();
    return due_.empty() ? kNever : due_.top().time;
}

template <typename Plan>
void ConservativePasses<Plan>::start_due(View& view) {
    const WaitingQueue& queue = view.queue();
    for (auto at = queue.first(); next_due() <= view.now(); at = queue.next(at)) {
        Slot& slot = slots_[queue.job(at)];
        if (slot.start == kNone || slot.start > view.now()) continue;
        view.start(at, slot);
        slot = {};
        --promised_;
    }
}

// Jobs behind this position have a promise already.
template <typename Plan>
WaitingQueue::Position RebuiltPasses<Plan>::end_of_unpromised(const View& view,
                                                              WaitingQueue::Position end) const {
    const WaitingQueue& queue = view.queue();
    while (end > queue.first() &&
           (!queue.waits(end - 1) || view.promised(queue.job(end - 1)) != kNone)) {
        --end;
    }
    return end;
}

template <typename Plan>
void RebuiltPasses<Plan>::schedule(View& view) {
    const WaitingQueue& queue = view.queue();
    plan_.rebuild(view);
    const auto end = queue.end_of_first(depth_);
    const auto unpromised = end_of_unpromised(view, end);
    for (auto at = queue.first(); at < end; at = queue.next(at)) {
        if (view.is_full() && at >= unpromised) break;  // no later plan matters
        const JobIndex job = queue.job(at);
        const auto slot = plan_.reserve_earliest(view, job);
        view.promise(job, slot.start);
        if (slot.start != view.now()) continue;
        view.start(at, slot);
        plan_.started(view);
    }
}

template class ConservativePasses<CountPlan>;
template class ConservativePasses<NodePlan>;
template class RebuiltPasses<CountPlan>;
template class RebuiltPasses<NodeReplan>;

}  // namespace schedlab
