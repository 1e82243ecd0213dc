#pragma once

#include <vector>

#include "core/availability_profile.h"
#include "core/waiting_queue.h"
#include "policies/ordered_policy.h"

namespace schedlab {

// What the two families of incentive backfilling (Takizawa & Takano) have in common: the oldest
// job of all, the head, goes first; then the others in the queue's order. `depth` counts all that
// a pass considers. Plans are made anew at every pass.
class Reserving : public OrderedPolicy {
  public:
    // `frozen`: the head starts exactly at the time first reserved for it, not earlier. Only a
    // running job that exceeds its request voids that time.
    Reserving(std::shared_ptr<Order> order, std::size_t depth, bool frozen = false)
        : OrderedPolicy(std::move(order), depth), frozen_(frozen) {}

    void begin(const View& view) override;
    void schedule(View& view) override;

  protected:
    using Position = WaitingQueue::Position;

    // Decides about jobs behind the head. `profile_` holds running jobs and the head's place.
    virtual void backfill(View& view, std::vector<Position> others) = 0;
    // Drops those at the end that cannot start and have been promised a start before: nothing
    // depends on a plan for them.
    static void drop_settled(const View& view, std::vector<Position>& others);
    // Starts the job now and gives it its place in the plan.
    void start(View& view, Position position);
    // Promises the job the earliest start that moves nobody in the plan, and returns it.
    Time reserve(View& view, Position position);

    AvailabilityProfile profile_{0};

  private:
    // The first `count` jobs of the queue without the head.
    static std::vector<Position> others(const WaitingQueue& queue, Position head,
                                        std::size_t count);
    bool is_reserved(const View& view, Position head) const;
    bool head_may_start(const View& view, Position head) const;
    void reserve_head(View& view, Position head);

    bool frozen_;
    JobIndex head_ = kNoJob;  // whose frozen reservation is head_start_
    Time head_start_ = kNone;
};

// Every considered job gets the earliest reservation that moves no decision of this pass; those
// whose reservation is now start. (With frozen reservations it is Conservative that keeps them.)
class AllReserved : public Reserving {
  public:
    AllReserved(std::shared_ptr<Order> order, std::size_t depth)
        : Reserving(std::move(order), depth) {}
    std::shared_ptr<Policy> clone() const override {
        return std::make_shared<AllReserved>(*this);
    }

  protected:
    void backfill(View& view, std::vector<Position> others) override;
};

// Only the head's reservation is sacred. Another job may start in a hole before other plans that
// is shorter than its request, up to `alpha` times the hole's length, and pushes those plans back.
class OneReserved : public Reserving {
  public:
    OneReserved(std::shared_ptr<Order> order, std::size_t depth, double alpha, bool frozen)
        : Reserving(std::move(order), depth, frozen), alpha_(alpha) {}
    std::shared_ptr<Policy> clone() const override {
        return std::make_shared<OneReserved>(*this);
    }

  protected:
    void backfill(View& view, std::vector<Position> others) override;

  private:
    bool may_push(const View& view, Position position) const;
    void push_back_plans(View& view, const std::vector<Position>& planned);

    double alpha_;
    AvailabilityProfile sacred_{0};  // running jobs and the head, without other plans
};

}  // namespace schedlab
