#pragma once

#include <vector>

#include "core/event_queue.h"
#include "core/waiting_queue.h"
#include "policies/planning.h"

namespace schedlab {

// Conservative backfilling (Mu'alem & Feitelson 2001): every considered job is promised the
// earliest start that moves no promise made before. When a job ends early, promises are tried again
// in queue order and may only move earlier. The policy asks for a pass when the first promise is
// due, so that it is kept even if nothing else happens then. Promises can slip only when a job
// exceeds its request: while it does, and afterwards until no promise is in the past, all are
// replanned in queue order.
template <typename Plan>
class ConservativePasses {
  public:
    // `frozen`: promises do not move earlier either; every job starts exactly when it was promised.
    // `oldest_first`: the oldest considered job is planned before the others.
    ConservativePasses(std::size_t depth, bool frozen = false, bool oldest_first = false)
        : depth_(depth), frozen_(frozen), oldest_first_(oldest_first) {}

    void begin(const View& view);
    void schedule(View& view);

  private:
    using Slot = typename Plan::Slot;

    // Returns whether a running or promised job left room in the plan.
    bool take_in_changes(const View& view);
    // Drops the promise of a job that no longer waits; the plan stays as it is.
    void forget(JobIndex job);
    bool a_promise_is_past(const View& view) const;
    void replan(View& view);
    void move_earlier(View& view);
    void plan_newcomers(View& view);
    void promise(View& view, JobIndex job);
    void start_due(View& view);
    void plan(View& view, JobIndex job);
    // When the first promised job is to start; kNever without promises.
    Time next_due();

    std::size_t depth_;
    bool frozen_;
    bool oldest_first_;
    Plan plan_;
    std::vector<Slot> slots_;   // by job; no start means no promise
    std::size_t promised_ = 0;  // waiting jobs with a promise
    EventHeap due_;             // planned starts, including some that have been given up
    bool broken_ = false;       // a running job had exceeded its request at the last pass
};

using Conservative = Planning<ConservativePasses, NodePlan>;

// All plans are made from scratch, in queue order, at every pass: promises may slip.
template <typename Plan>
class RebuiltPasses {
  public:
    explicit RebuiltPasses(std::size_t depth, Hold hold = Hold::shares)
        : depth_(depth), hold_(hold) {}

    void begin(const View&) { plan_ = Plan(hold_); }
    void schedule(View& view);

  private:
    WaitingQueue::Position end_of_unpromised(const View& view, WaitingQueue::Position end) const;

    std::size_t depth_;
    Hold hold_;
    Plan plan_;
};

using ConservativeRebuild = Planning<RebuiltPasses, NodeReplan>;

}  // namespace schedlab
