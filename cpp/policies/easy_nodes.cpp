#include "policies/easy_nodes.h"

#include <algorithm>

#include "core/view.h"

namespace schedlab {

void EasyNodes::begin(const View&) {
    head_ = kNoJob;
    begun_ = false;
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
    if (ended || queue.job(queue.first()) != head_) plan_head(view, end);
    if (head_ == kNoJob) return;
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
    for (; at < end && queue.nodes(at) <= view.free_nodes(); at = queue.next(at)) view.start(at);
    head_ = at < end ? queue.job(at) : kNoJob;
    if (head_ == kNoJob) return;
    head_start_ = view.shadow(view.nodes(head_)).time;
    head_nodes_ = view.lowest_nodes_free_at(head_start_, view.nodes(head_));
    view.promise(head_, head_start_);
}

void EasyNodes::try_start(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    if (job == head_ || view.nodes(job) > view.free_nodes()) return;
    if (view.now() + view.planned(job) <= head_start_) {
        view.start(position);
    } else if (view.nodes(job) <= view.free_nodes_outside(head_nodes_)) {
        view.start(position, head_nodes_);
    }
}

}  // namespace schedlab
