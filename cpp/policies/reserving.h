#pragma once

#include <utility>
#include <vector>

#include "core/waiting_queue.h"
#include "policies/planning.h"

namespace schedlab {

// What the two families of incentive backfilling (Takizawa & Takano) have in common: the oldest
// job of all, the head, goes first; then the others in the queue's order. `depth` counts all jobs
// that a pass considers. Plans are made from scratch at every pass.
template <typename Plan>
class ReservingPasses {
  public:
    // `frozen`: the head starts exactly at the time first reserved for it, not earlier. Only a
    // running job that exceeds its request voids that time.
    explicit ReservingPasses(std::size_t depth, Hold hold = Hold::shares,
                             bool frozen = false)
        : hold_(hold), depth_(depth), frozen_(frozen) {}
    virtual ~ReservingPasses() = default;

    void begin(const View&) {
        head_ = kNoJob;
        plan_ = Plan(hold_);
    }
    void schedule(View& view);

  protected:
    using Position = WaitingQueue::Position;
    using Slot = typename Plan::Slot;

    // Decides about jobs behind the head. `plan_` holds running jobs and the head's place.
    virtual void backfill(View& view, JobIndex head, std::vector<Position> others) = 0;
    // Drops the jobs at the end that cannot start and already have a promise: nothing depends on a
    // plan for them.
    static void drop_settled(const View& view, std::vector<Position>& others);
    // Promises the job the earliest start that moves no other job in the plan, and returns it.
    Slot reserve(View& view, Position position);

    Hold hold_;
    Plan plan_;
    Slot head_slot_;

  private:
    // The first `count` jobs of the queue without the head.
    static std::vector<Position> others(const WaitingQueue& queue, JobIndex head,
                                        std::size_t count);
    bool is_reserved(const View& view, Position head) const;
    bool head_may_start(const View& view, Position head) const;
    void reserve_head(View& view, Position head);

    std::size_t depth_;
    bool frozen_;
    JobIndex head_ = kNoJob;  // whose frozen reservation is head_slot_
};

// Every considered job gets the earliest reservation that moves no decision of this pass. Jobs
// whose reservation is now start. (Where reservations are frozen, use Conservative.)
template <typename Plan>
class AllReservedPasses : public ReservingPasses<Plan> {
  public:
    using ReservingPasses<Plan>::ReservingPasses;

  protected:
    void backfill(View& view, JobIndex head, std::vector<WaitingQueue::Position> others) override;
};

using AllReserved = Planning<AllReservedPasses, NodeReplan>;

// Only the head's reservation is sacred. Another job may start in a hole before other plans even
// if its estimate is longer than the hole, up to `alpha` times the hole's length; it pushes those
// plans back.
template <typename Plan>
class OneReservedPasses : public ReservingPasses<Plan> {
  public:
    OneReservedPasses(std::size_t depth, double alpha, bool frozen, Hold hold)
        : ReservingPasses<Plan>(depth, hold, frozen), alpha_(alpha) {}

    void begin(const View& view) {
        ReservingPasses<Plan>::begin(view);
        sacred_ = typename Plan::Plain(this->hold_);
    }

  protected:
    using Position = WaitingQueue::Position;
    using Slot = typename Plan::Slot;

    void backfill(View& view, JobIndex head, std::vector<Position> others) override;

  private:
    bool may_push(const View& view, Position position, Slot& slot);

    double alpha_;
    typename Plan::Plain sacred_;  // running jobs and the head, without other plans
};

using OneReserved = Planning<OneReservedPasses, NodeReplan>;

}  // namespace schedlab
