#pragma once

#include <span>
#include <vector>

#include "core/availability_profile.h"
#include "core/machine.h"

namespace schedlab {

class View;
struct Closing;

// A plan that counts nodes: how many are free from now to the end of time, in each of some pools of
// interchangeable nodes. It names no nodes; a job gets its nodes when it starts.
class CountPlan {
  public:
    // When a job is planned to start.
    struct Slot {
        Time start = kNone;
    };
    using Plain = CountPlan;

    // The argument is ignored: jobs take whole nodes in any case.
    explicit CountPlan(Hold = Hold::nodes) {}

    // Makes the plan of the running jobs alone.
    void rebuild(const View& view);
    // Copies another plan.
    void reset_to(const CountPlan& other) { *this = other; }
    // Forgets what lies before now.
    void advance(const View& view);

    // Keeps the slot for the job, or gives it back.
    void reserve(const View& view, JobIndex job, Slot slot);
    void release(const View& view, JobIndex job, Slot slot);
    // Frees the nodes of a job that has ended earlier than expected.
    void ended_early(const View& view, JobIndex job);

    // Takes out a node that was closed since the last pass.
    void close(const View& view, const Closing& closing);

    // Return the first slot from `from` on that the plan leaves for the job.
    Slot earliest(const View& view, JobIndex job, Time from) const;
    Slot reserve_earliest(const View& view, JobIndex job);
    // Moves the slot of the job to an earlier start if there is one; false if not.
    bool move_earlier(const View& view, JobIndex job, Slot& slot);
    // Whether the job can start now; if so, `slot` is where.
    bool fits_now(const View& view, JobIndex job, Slot& slot) const;
    // For how long the job has room from now on; kNever if for ever.
    Time free_for(const View& view, JobIndex job) const;

    // These match NodeReplan, a plan that is made from scratch at every pass. This class keeps
    // nothing from the last pass.
    void forget() {}
    void started(const View&) {}
    bool may_have_new_room(const View&, JobIndex) const { return true; }
    void restart(const View&, const CountPlan& plain, JobIndex, Slot) { *this = plain; }

  private:
    bool one_pool() const { return pools_.size() == 1; }
    void change(std::span<const Part> parts, Time start, Time end, int sign);

    std::vector<AvailabilityProfile> pools_;
};

}  // namespace schedlab
