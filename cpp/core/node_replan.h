#pragma once

#include <cstdint>
#include <vector>

#include "core/node_plan.h"

namespace schedlab {

// A plan that is made from scratch at every pass: running jobs, then one job after the other.
//
// Most jobs come out where the last pass had them. A node is *touched* if it may not offer the next
// job what it offered when that job was planned last: what runs there is different, or what jobs
// before it have there. On all other nodes a job finds what it found then. So it is searched for
// again only where a touched node takes its slot away or could give it a better one.
class NodeReplan : public NodePlan {
  public:
    using Plain = NodePlan;
    using NodePlan::NodePlan;

    // The plan of the running jobs alone: a new pass begins.
    void rebuild(const View& view);
    // Something has happened that no plan foresaw: keeps nothing for the next pass.
    void forget() { keeping_ = false; }

    void reserve(const View& view, JobIndex job, const Slot& slot);
    Slot reserve_earliest(const View& view, JobIndex job);
    bool fits_now(const View& view, JobIndex job, Slot& slot);
    Time free_for(const View& view, JobIndex job);
    // The job that was reserved last has started there.
    void started(const View& view);
    // Whether a job that was asked `fits_now` may have more room now than at the last pass.
    bool may_have_new_room(const View& view, JobIndex job) const;
    // Begins again behind the first job. The plan is then `plain`: the first job and the running
    // ones, one of which has just started in the slot.
    void restart(const View& view, const NodePlan& plain, JobIndex started, const Slot& slot);

  private:
    // A job and where it is planned.
    struct Planned {
        JobIndex job;
        Time duration;
        Slot slot;
        bool asked;  // whether it could start at once; it could not
        std::size_t since;  // nodes touched from there on in the log count
    };

    // Makes the job the next of the last pass; false if it is not among those to come.
    bool skip_to(const View& view, JobIndex job);
    Slot find(const View& view, JobIndex job);
    // Where the next job of the last pass is planned now.
    Slot find_again(const View& view, const Planned& last);
    // The same start on the lowest nodes that have room then, if these are known: `able_` and those
    // of its own that are not touched. Else one that starts kNever.
    Slot keep_start(const Slot& slot, NodeCount count);
    Slot search(const View& view, JobIndex job, Time from);
    void touch(const View& view, NodeIndex node);
    void touch_all(const View& view, const Slot& slot);
    // Takes the jobs to come out of the plan, which then has those planned in this pass alone.
    void take_out(const View& view);
    void put_back(const View& view);
    template <typename Where>
    void change_where(const View& view, const Planned& own, int sign, Where where);

    bool keeping_ = false;
    std::vector<Planned> planned_;  // in this pass
    std::vector<Planned> last_;     // in the last one
    std::size_t next_ = 0;          // those from here on are still to come
    // Whether these are out of the plan on all nodes; they always are on those touched.
    bool apart_ = false;
    std::vector<std::uint8_t> touched_;  // by node
    static constexpr std::size_t kLogKept = 1 << 14;
    std::vector<NodeIndex> log_;         // of those touched, pass by pass
    std::size_t pass_ = 0;               // where this pass begins in the log
    std::vector<NodeIndex> able_;  // nodes that have room when the last pass had the job start
    JobIndex asked_ = kNoJob;  // found_ is where it is planned
    Slot found_;
};

}  // namespace schedlab
