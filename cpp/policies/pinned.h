#pragma once

#include <vector>

#include "core/node_timeline.h"
#include "core/waiting_queue.h"
#include "policies/ordered_policy.h"

namespace schedlab {

// What happens to plans when a job starts in a hole that is too short for it.
enum class Push {
    none,     // no job starts in such a hole
    hole,     // each plan in its way moves to the next hole on its own nodes
    cascade,  // it moves behind the job, and pushes back the plans that are then in its own way
};

// The families of incentive backfilling with plans that name nodes and are kept: a planned job
// starts at its time on its nodes, even if other nodes come free before. Of the simulators tried,
// this one is nearest to the tables of Takizawa & Takano.
//
// A pass plans those of the first `depth` jobs of the queue that have no plan; the oldest job of
// all, the head, goes first. A submission replans all jobs except the head; a completion replans
// none. A running job that outlives its estimate voids all plans.
class Pinned : public OrderedPolicy {
  public:
    // With `push`, a job other than the head may start in a hole before other plans if its estimate
    // is at most `alpha` times the length of the hole. It never pushes the head.
    Pinned(std::shared_ptr<Order> order, std::size_t depth, Push push, double alpha)
        : OrderedPolicy(std::move(order), depth), push_(push), alpha_(alpha) {}

    std::shared_ptr<Policy> clone() const override { return std::make_shared<Pinned>(*this); }
    void begin(const View& view) override;
    void schedule(View& view) override;

  private:
    using Position = WaitingQueue::Position;

    struct Plan {
        JobIndex job;
        Time start;
        Time end;
        NodeSet nodes;

        bool overlaps(const Plan& other) const {
            return start < other.end && other.start < end && nodes.meets(other.nodes);
        }
        bool before(const Plan& other) const {
            return start != other.start ? start < other.start : job < other.job;
        }
        void move_to(Time time) {
            end += time - start;
            start = time;
        }
    };

    // Bringing the plan up to date.
    void forget_plans(const View& view);
    void take_in_changes(const View& view);
    void drop_withdrawn(const View& view);
    void drop_all_but_head();
    void start_due(View& view);
    void plan_ended(const Plan& plan);

    // Planning.
    void plan_window(View& view);
    std::vector<Position> unplanned(const WaitingQueue& queue) const;
    void place(View& view, Position position);

    // Pushing.
    bool start_by_pushing(View& view, Position position);
    void push_back_plans(const Plan& pusher);
    // Removes and returns the plans that overlap this one, except the head's.
    std::vector<Plan> take_out_overlapping(const Plan& plan);
    void move_back(Plan& plan, const std::vector<Plan>& settled) const;
    const Plan& head_plan() const;

    Push push_;
    double alpha_;
    NodeTimeline timeline_;  // running jobs and plans
    std::vector<Plan> plans_;
    std::vector<bool> planned_;  // by job: whether it has a plan
    JobIndex head_ = kNoJob;  // the oldest waiting job, if it has a plan
    bool broken_ = false;     // a running job had exceeded its request at the last pass
};

}  // namespace schedlab
