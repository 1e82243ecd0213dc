#pragma once

#include <vector>

#include "core/waiting_queue.h"
#include "policies/easy_guard.h"
#include "policies/easy_on_nodes.h"
#include "policies/ordered_policy.h"

namespace schedlab {

// EASY (Lifka 1995; Mu'alem & Feitelson 2001): starts jobs in order; the first that does not fit,
// the head, is promised the earliest time at which enough nodes will be free; others may start
// if, by their estimates, they do not delay it. The promise is replanned at every pass.
class Easy : public OrderedPolicy {
  public:
    // `candidates`: the order in which jobs are tried for backfilling; null: the queue's order.
    // `max_priority_gap`: jobs whose keys exceed the head's by more are not backfilled.
    Easy(std::shared_ptr<Order> order, std::size_t depth,
         std::shared_ptr<Order> candidates, double max_priority_gap);

    std::shared_ptr<Policy> clone() const override { return std::make_shared<Easy>(*this); }
    void begin(const View& view) override;
    void schedule(View& view) override;

  private:
    using Position = WaitingQueue::Position;

    bool nothing_but_newcomers(const View& view) const;
    void pass(View& view);
    void backfill(View& view, Position from, Position end);
    void backfill_newcomers(View& view);
    void backfill_by_index(View& view);
    void backfill_sorted(View& view, const std::vector<Position>& candidates);
    void start(View& view, Position position);

    // An index of the waiting jobs in the order of `candidates`, so that a search need not sort all
    // of them. It is kept only without limits and with keys that do not change.
    bool keeps_index() const;
    void update_index(const View& view);
    void add_to_index(const View& view, Position position);
    void drop_from_index(const View& view, Position position);
    double candidate_key(const View& view, const WaitingJob& job) const;

    OwnOrder candidates_;
    double max_priority_gap_;
    EasyOnNodes on_nodes_;
    WaitingQueue index_;
    EasyGuard guard_;
    bool considered_all_ = false;  // at the last full pass
};

}  // namespace schedlab
