#include "policies/easy_nodes.h"

#include <algorithm>

#include "core/view.h"

namespace schedlab {

void EasyNodes::begin(const View&) {
    head_ = kNoJob;
    begun_ = false;
    plan_ = NodePlan(Hold::nodes);
}

void EasyNodes::schedule(View& view) {
    const WaitingQueue& queue = view.queue();
    const Position end = queue.end_of_first(depth());
    std::vector<JobIndex> newcomers(view.submitted().begin(), view.submitted().end());
    if (!begun_) {
        queue.jobs(newcomers);
        std::sort(newcomers.begin(), newcomers.end());
        begun_ = true;
    }
    const bool ended = !view.completed().empty() || view.plans_are_void();
    if (ended || queue.job(queue.first()) != head_ || head_slot_.start <= view.now()) {
        plan_head(view, end);
    }
    if (head_ == kNoJob) return;
    if (!view.one_pool()) {
        plan_.rebuild(view);
        plan_.reserve(view, head_, head_slot_);
    }
    if (ended) {
        for (Position at = queue.first(); at < end; at = queue.next(at)) try_start(view, at);
        return;
    }
    for (const JobIndex job : newcomers) {
        const Position at = queue.find(job);
        if (at < end) try_start(view, at);
    }
}

void EasyNodes::plan_head(View& view, Position end) {
    const WaitingQueue& queue = view.queue();
    Position at = queue.first();
    for (; at < end && view.has_room(queue.job(at)); at = queue.next(at)) view.start(at);
    head_ = at < end ? queue.job(at) : kNoJob;
    if (head_ == kNoJob) return;
    head_slot_ = slot_of_head(view);
    view.promise(head_, head_slot_.start);
}

NodePlan::Slot EasyNodes::slot_of_head(const View& view) const {
    if (!view.one_pool()) return view.running_plan().earliest(view, head_, view.now());
    const Time start = view.shadow(view.nodes(head_)).time;
    return {start, view.lowest_nodes_free_at(start, view.nodes(head_))};
}

void EasyNodes::try_start(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    if (job == head_ || !view.has_room(job)) return;
    if (!view.one_pool()) {
        NodePlan::Slot slot;
        if (!plan_.fits_now(view, job, slot)) return;
        plan_.reserve(view, job, slot);
        view.start(position, slot);
    } else if (view.now() + view.planned(job) <= head_slot_.start) {
        view.start(position);
    } else if (view.nodes(job) <= view.free_nodes_outside(head_slot_.nodes)) {
        view.start(position, head_slot_.nodes);
    }
}

}  // namespace schedlab
