#pragma once

#include <cstdint>
#include <vector>

#include "core/node_plan.h"

namespace schedlab {

// A plan that is made from scratch at every pass: running jobs, then one job after the other.
//
// Most jobs get the slot that they had in the last pass. A node is *touched* if it may offer a job
// something else than when that job was last planned: other jobs run there, or earlier jobs hold
// something else there. On all other nodes the job finds what it found then. So a job is searched
// for again only where a touched node takes its slot away or could give it a better one.
class NodeReplan : public NodePlan {
  public:
    using Plain = NodePlan;
    using NodePlan::NodePlan;

    // Begins a new pass with the plan of the running jobs alone.
    void rebuild(const View& view);
    // Keeps nothing for the next pass: something has happened that no plan foresaw.
    void forget() { keeping_ = false; }

    void reserve(const View& view, JobIndex job, const Slot& slot);
    Slot reserve_earliest(const View& view, JobIndex job);
    bool fits_now(const View& view, JobIndex job, Slot& slot);
    Time free_for(const View& view, JobIndex job);
    // Notes that the job that was reserved last has started in its slot.
    void started(const View& view);
    // Whether a job that `fits_now` refused in the last pass may have more room now.
    bool may_have_new_room(const View& view, JobIndex job) const;
    // Starts again after the first job. The plan is then `plain`: the first job and the running
    // jobs, of which `started` has just started in `slot`.
    void restart(const View& view, const NodePlan& plain, JobIndex started, const Slot& slot);

  private:
    // A job and where it is planned.
    struct Planned {
        JobIndex job;
        Time duration;
        Slot slot;
        bool asked;  // whether `fits_now` was called for it, and refused it
        std::size_t since;  // nodes from this place in the log on are touched for it
    };

    // Skips to the job among those of the last pass; false if it is not among those to come.
    bool skip_to(const View& view, JobIndex job);
    Slot find(const View& view, JobIndex job);
    // Where the next job of the last pass is planned now.
    Slot find_again(const View& view, const Planned& last);
    // Return the slot's start on the lowest nodes that have room then, if these are known: `able_`
    // and the slot's own nodes that are not touched. Else a slot that starts kNever.
    Slot keep_start(const Slot& slot, NodeCount count);
    Slot search(const View& view, JobIndex job, Time from);
    void touch(const View& view, NodeIndex node);
    void touch_all(const View& view, const Slot& slot);
    // Removes the jobs to come from the plan, which then holds only the jobs planned in this pass.
    void take_out(const View& view);
    void put_back(const View& view);
    template <typename Where>
    void change_where(const View& view, const Planned& own, int sign, Where where);

    bool keeping_ = false;
    std::vector<Planned> planned_;  // in this pass
    std::vector<Planned> last_;     // in the last one
    std::size_t next_ = 0;          // those from here on are still to come
    // Whether the jobs to come are out of the plan on all nodes; on touched nodes they always are.
    bool apart_ = false;
    std::vector<std::uint8_t> touched_;  // by node
    static constexpr std::size_t kLogKept = 1 << 14;
    std::vector<NodeIndex> log_;         // touched nodes, pass by pass
    std::size_t pass_ = 0;               // where this pass begins in the log
    std::vector<NodeIndex> able_;  // nodes with room at the start that the last pass gave the job
    JobIndex asked_ = kNoJob;  // the job that found_ is for
    Slot found_;
};

}  // namespace schedlab
