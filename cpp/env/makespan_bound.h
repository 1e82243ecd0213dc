#pragma once

#include <vector>

#include "core/simulator.h"

namespace schedlab {

// The least makespan that the decisions so far leave possible, by true run times. Its growth is
// what decisions and waiting cost.
class MakespanBound {
  public:
    explicit MakespanBound(const Simulator& simulator);

    void started(JobIndex job);
    void completed(JobIndex job);
    // The last end if the rest is packed without gaps, counted from time 0.
    Time now() const;

  private:
    Time last_of_waiting() const;

    const Simulator* sim_;
    std::vector<Time> last_of_later_;  // max of submission + run time over jobs i, i + 1, ...
    double waiting_work_ = 0;          // node-seconds of the jobs that have not started
    double running_nodes_ = 0;
    double running_ends_ = 0;  // sum of nodes x end over the running jobs
    Time last_end_ = 0;        // of those that have started
};

}  // namespace schedlab
