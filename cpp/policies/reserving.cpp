#include "policies/reserving.h"

#include <utility>

#include "core/view.h"

namespace schedlab {

void Reserving::begin(const View&) { head_ = kNoJob; }

void Reserving::schedule(View& view) {
    const WaitingQueue& queue = view.queue();
    for (std::size_t left = depth(); left > 0 && !queue.empty(); --left) {
        const Position head = queue.oldest();
        if (head_may_start(view, head)) {
            view.start(head);
            continue;
        }
        std::vector<Position> rest = others(queue, head, left - 1);
        drop_settled(view, rest);
        if (rest.empty() && !frozen_ && view.promised(queue.job(head)) != kNone) break;
        profile_.rebuild(view.now(), view.free_nodes(), view.releases(), view.soonest_release());
        reserve_head(view, head);
        backfill(view, std::move(rest));
        break;
    }
}

std::vector<Reserving::Position> Reserving::others(const WaitingQueue& queue, Position head,
                                                   std::size_t count) {
    std::vector<Position> found;
    for (Position at = queue.first(); at < queue.end() && found.size() < count;
         at = queue.next(at)) {
        if (at != head) found.push_back(at);
    }
    return found;
}

bool Reserving::is_reserved(const View& view, Position head) const {
    return frozen_ && view.queue().job(head) == head_ && view.now() < head_start_ &&
           !view.plans_are_void();
}

bool Reserving::head_may_start(const View& view, Position head) const {
    return view.queue().nodes(head) <= view.free_nodes() && !is_reserved(view, head);
}

void Reserving::reserve_head(View& view, Position head) {
    const JobIndex job = view.queue().job(head);
    if (is_reserved(view, head)) {
        profile_.reserve(head_start_, head_start_ + view.planned(job), view.nodes(job));
    } else {
        head_start_ = reserve(view, head);
        head_ = view.overdue() ? kNoJob : job;
    }
    if (frozen_ && head_ != kNoJob) view.wake_at(head_start_);
}

void Reserving::start(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    profile_.reserve(view.now(), view.now() + view.planned(job), view.nodes(job));
    view.start(position);
}

Time Reserving::reserve(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    const Time start = profile_.reserve_earliest(view.nodes(job), view.planned(job));
    view.promise(job, start);
    return start;
}

void Reserving::drop_settled(const View& view, std::vector<Position>& others) {
    const auto settled = [&view](Position at) {
        const JobIndex job = view.queue().job(at);
        return view.nodes(job) > view.free_nodes() && view.promised(job) != kNone;
    };
    while (!others.empty() && settled(others.back())) others.pop_back();
}

void AllReserved::backfill(View& view, std::vector<Position> others) {
    for (std::size_t i = 0; i < others.size(); ++i) {
        const Position at = others[i];
        const JobIndex job = view.queue().job(at);
        if (profile_.fits_now(view.nodes(job), view.planned(job))) {
            view.promise(job, view.now());
            start(view, at);
            drop_settled(view, others);
        } else {
            reserve(view, at);
        }
    }
}

void OneReserved::backfill(View& view, std::vector<Position> others) {
    sacred_ = profile_;
    std::vector<Position> planned;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const Position at = others[i];
        const JobIndex job = view.queue().job(at);
        const NodeCount nodes = view.nodes(job);
        const Time duration = view.planned(job);
        const bool moves_nobody = profile_.fits_now(nodes, duration);
        if (!moves_nobody && !may_push(view, at)) {
            reserve(view, at);
            planned.push_back(at);
            continue;
        }
        sacred_.reserve(view.now(), view.now() + duration, nodes);
        if (moves_nobody) {
            start(view, at);
        } else {
            view.start(at);
            push_back_plans(view, planned);
        }
        drop_settled(view, others);
    }
}

bool OneReserved::may_push(const View& view, Position position) const {
    const JobIndex job = view.queue().job(position);
    const NodeCount nodes = view.nodes(job);
    if (!sacred_.fits_now(nodes, view.planned(job))) return false;
    const auto hole = static_cast<double>(profile_.free_for(nodes));
    return hole > 0 && static_cast<double>(view.estimate(job)) <= alpha_ * hole;
}

void OneReserved::push_back_plans(View& view, const std::vector<Position>& planned) {
    profile_ = sacred_;
    for (const Position at : planned) reserve(view, at);
}

}  // namespace schedlab
