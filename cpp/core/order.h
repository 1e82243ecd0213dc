#pragma once

#include <span>

#include "core/job.h"
#include "core/release_list.h"

namespace schedlab {

// When the keys of waiting jobs become others.
enum class KeysChange { never, when_jobs_end, always };

// What an order may know of the machine, and the time.
struct MachineState {
    Time now;
    NodeCount nodes;
    NodeCount free;
    Time soonest_release;
    const ReleaseList* releases;

    // How long until so many nodes will be free, if the running jobs end as expected.
    Time time_until_free(NodeCount needed) const {
        return needed <= free ? 0 : releases->shadow(needed, free, soonest_release).time - now;
    }
};

// The order in which waiting jobs are looked at: smaller keys first, ties by arrival.
class Order {
  public:
    virtual ~Order() = default;

    // Keys are computed when the job arrives, and again before each pass where they may be others.
    virtual KeysChange keys_change() const { return KeysChange::never; }
    virtual void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
                      std::span<double> keys) const = 0;

    // For orders that learn. `begin` is called before the first job of a simulation: forget any
    // earlier one.
    virtual void begin() {}
    virtual void job_submitted(const WaitingJob&) {}
    virtual void job_ended(const SubmittedJob&, Time /*ran*/) {}
    // The keys of jobs that were submitted before, for orders whose keys change when jobs end.
    virtual void keys_now(std::span<const JobIndex>, std::span<double>) const {}
};

}  // namespace schedlab
