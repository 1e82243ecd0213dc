#pragma once

#include <vector>

#include "core/waiting_queue.h"
#include "policies/node_guard.h"

namespace schedlab {

// The passes of EASY where jobs share nodes, or may use only some of them. A job that does not
// fit and competes with no earlier head for nodes is a head, too.
class EasyOnNodes {
  public:
    EasyOnNodes(std::size_t depth, double max_priority_gap)
        : depth_(depth), max_priority_gap_(max_priority_gap) {}

    void begin(const View& view);
    // `candidates`: the order in which jobs are tried for backfilling; null: the queue's order.
    // `keys_may_move`: jobs may have changed places in the queue since the last pass.
    void schedule(View& view, Order* candidates, bool keys_may_move);

  private:
    using Position = WaitingQueue::Position;

    bool only_newcomers_matter(const View& view, bool keys_may_move) const;
    void pass(View& view, Order* candidates);
    void try_newcomers(View& view, Order* candidates);
    void consider(View& view, Position position, Order* candidates);
    void try_behind(View& view, Order& candidates);
    void backfill(View& view, Position position);
    // Whether a job with the same demand and an equal or shorter estimate has been tried in vain.
    bool tried_in_vain(const View& view, JobIndex job);
    bool choose(const View& view, JobIndex job, Placement& nodes);
    // The GPUs of the node that the job would take now.
    GpuMask gpus_of(const View& view, JobIndex job, NodeIndex node, const Share& share);

    // A job that was tried in vain. Jobs with the same demand and an equal or longer estimate fail
    // too, until the guards change or a node that can hold them comes free.
    struct Failure {
        std::int64_t guards_made = -1;
        std::size_t guards = 0;  // the number of guards then
        Time estimate = 0;
        std::int64_t freed = 0;  // see View::freed_ever
    };
    void add_guard(View& view, JobIndex head);

    std::size_t depth_;
    double max_priority_gap_;
    std::int64_t guards_made_ = 0;  // how often the guards may have changed
    bool considered_all_ = false;
    std::vector<NodeGuard> guards_;
    std::vector<NodeGuard> last_guards_;  // as they were at the end of the last pass
    std::vector<HeadRooms> rooms_;        // of heads, now and before
    std::vector<double> head_keys_;
    std::vector<Position> behind_;
    std::vector<Failure> failures_;  // by demand
    std::vector<std::uint8_t> skipped_;  // by demand: behind a head, and without room
    // Of the job that is being placed: guards for which it is late, and what they would lose.
    std::vector<NodeGuard*> late_;
    std::vector<Amount> free_;
    std::vector<std::pair<NodeGuard*, NodeGuard::Loss>> losses_;
};

}  // namespace schedlab
