#include "policies/reserving.h"

#include "core/view.h"

namespace schedlab {

template <typename Plan>
void ReservingPasses<Plan>::schedule(View& view) {
    const WaitingQueue& queue = view.queue();
    if (view.plans_are_void()) plan_.forget();
    for (std::size_t left = depth_; left > 0 && !queue.empty(); --left) {
        const Position head = queue.oldest();
        if (head_may_start(view, head)) {
            view.start(head);
            continue;
        }
        const JobIndex job = queue.job(head);
        std::vector<Position> rest = others(queue, job, left - 1);
        drop_settled(view, rest);
        if (rest.empty() && !frozen_ && view.promised(job) != kNone) break;
        plan_.rebuild(view);
        reserve_head(view, head);
        backfill(view, job, std::move(rest));
        break;
    }
}

template <typename Plan>
std::vector<WaitingQueue::Position> ReservingPasses<Plan>::others(const WaitingQueue& queue,
                                                                  JobIndex head,
                                                                  std::size_t count) {
    std::vector<Position> found;
    for (Position at = queue.first(); at < queue.end() && found.size() < count;
         at = queue.next(at)) {
        if (queue.job(at) != head) found.push_back(at);
    }
    return found;
}

template <typename Plan>
bool ReservingPasses<Plan>::is_reserved(const View& view, Position head) const {
    return frozen_ && view.queue().job(head) == head_ && view.now() < head_slot_.start &&
           !view.plans_are_void();
}

template <typename Plan>
bool ReservingPasses<Plan>::head_may_start(const View& view, Position head) const {
    return view.has_room(view.queue().job(head)) && !is_reserved(view, head);
}

template <typename Plan>
void ReservingPasses<Plan>::reserve_head(View& view, Position head) {
    const JobIndex job = view.queue().job(head);
    if (is_reserved(view, head)) {
        plan_.reserve(view, job, head_slot_);
    } else {
        head_slot_ = reserve(view, head);
        head_ = view.overdue() ? kNoJob : job;
    }
    if (frozen_ && head_ != kNoJob) view.wake_at(head_slot_.start);
}

template <typename Plan>
typename Plan::Slot ReservingPasses<Plan>::reserve(View& view, Position position) {
    const JobIndex job = view.queue().job(position);
    Slot slot = plan_.reserve_earliest(view, job);
    view.promise(job, slot.start);
    return slot;
}

template <typename Plan>
void ReservingPasses<Plan>::drop_settled(const View& view, std::vector<Position>& others) {
    const auto settled = [&view](Position at) {
        const JobIndex job = view.queue().job(at);
        return view.promised(job) != kNone && !view.has_room(job);
    };
    while (!others.empty() && settled(others.back())) others.pop_back();
}

template <typename Plan>
void AllReservedPasses<Plan>::backfill(View& view, JobIndex,
                                       std::vector<WaitingQueue::Position> others) {
    for (std::size_t i = 0; i < others.size(); ++i) {
        const auto slot = this->reserve(view, others[i]);
        if (slot.start > view.now()) continue;
        view.start(others[i], slot);
        this->plan_.started(view);
        this->drop_settled(view, others);
    }
}

template <typename Plan>
void OneReservedPasses<Plan>::backfill(View& view, JobIndex head, std::vector<Position> others) {
    sacred_.rebuild(view);
    sacred_.reserve(view, head, this->head_slot_);
    std::vector<Position> planned;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const Position at = others[i];
        const JobIndex job = view.queue().job(at);
        Slot slot;
        const bool moves_no_job = this->plan_.fits_now(view, job, slot);
        if (!moves_no_job && !may_push(view, at, slot)) {
            this->reserve(view, at);
            planned.push_back(at);
            continue;
        }
        sacred_.reserve(view, job, slot);
        if (moves_no_job) {
            this->plan_.reserve(view, job, slot);
            view.start(at, slot);
            this->plan_.started(view);
        } else {
            view.start(at, slot);
            this->plan_.restart(view, sacred_, job, slot);
            for (const Position pushed : planned) this->reserve(view, pushed);
        }
        this->drop_settled(view, others);
    }
}

template <typename Plan>
bool OneReservedPasses<Plan>::may_push(const View& view, Position position, Slot& slot) {
    const JobIndex job = view.queue().job(position);
    if (!this->plan_.may_have_new_room(view, job)) return false;
    slot = {};
    if (!sacred_.fits_now(view, job, slot)) return false;
    const auto hole = static_cast<double>(this->plan_.free_for(view, job));
    return hole > 0 && static_cast<double>(view.estimate(job)) <= alpha_ * hole;
}

template class ReservingPasses<CountPlan>;
template class ReservingPasses<NodeReplan>;
template class AllReservedPasses<CountPlan>;
template class AllReservedPasses<NodeReplan>;
template class OneReservedPasses<CountPlan>;
template class OneReservedPasses<NodeReplan>;

}  // namespace schedlab
