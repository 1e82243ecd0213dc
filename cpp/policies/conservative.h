#pragma once

#include <vector>

#include "core/availability_profile.h"
#include "core/event_queue.h"
#include "core/waiting_queue.h"
#include "policies/ordered_policy.h"

namespace schedlab {

// Conservative backfilling (Mu'alem & Feitelson 2001): every considered job is promised the
// earliest start that moves no earlier promise. When a job ends early, each promise in queue order
// may only move earlier, and a pass is asked for when the first one is due, so that it is kept even
// if nothing else happens then. Only a job that exceeds its request can make promises slip: while
// one does, and after it until none is in the past, all are planned anew in queue order.
class Conservative : public OrderedPolicy {
  public:
    // `frozen`: promises do not move earlier either; every job starts exactly when it was promised.
    // `oldest_first`: the oldest considered job is planned before the others.
    Conservative(std::shared_ptr<Order> order, std::size_t depth, bool frozen = false,
                 bool oldest_first = false)
        : OrderedPolicy(std::move(order), depth), frozen_(frozen), oldest_first_(oldest_first) {}

    std::shared_ptr<Policy> clone() const override {
        return std::make_shared<Conservative>(*this);
    }
    void begin(const View& view) override;
    void schedule(View& view) override;

  private:
    // Returns whether a running or promised job left room in the plan.
    bool take_in_changes(const View& view);
    bool a_promise_is_past(const View& view) const;
    void replan(View& view);
    void move_earlier(View& view);
    void plan_newcomers(View& view);
    void promise(View& view, JobIndex job);
    void start_due(View& view);
    void set_start(JobIndex job, Time start);
    void plan(View& view, JobIndex job);
    // When the first promised job is to start; kNever without promises.
    Time next_due();

    bool frozen_;
    bool oldest_first_;
    AvailabilityProfile profile_{0};
    std::vector<Time> planned_start_;  // by job; kNone: no promise
    std::size_t promised_ = 0;         // waiting jobs with a promise
    EventQueue due_;                   // planned starts, also some that have been given up since
    bool broken_ = false;              // a running job had exceeded its request at the last pass
};

// All plans are made anew from scratch, in queue order, at every pass: promises may slip.
class ConservativeRebuild : public OrderedPolicy {
  public:
    using OrderedPolicy::OrderedPolicy;
    std::shared_ptr<Policy> clone() const override {
        return std::make_shared<ConservativeRebuild>(*this);
    }
    void schedule(View& view) override;

  private:
    WaitingQueue::Position end_of_unpromised(const View& view, WaitingQueue::Position end) const;

    AvailabilityProfile profile_{0};
};

}  // namespace schedlab
