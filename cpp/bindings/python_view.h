#pragma once

#include <memory>
#include <utility>

#include "bindings/arrays.h"
#include "core/view.h"

namespace schedlab {

// Waiting jobs as columns, in the queue's order.
struct QueueArrays {
    Numpy<JobIndex> job;
    Numpy<NodeCount> nodes;
    Numpy<Time> request;
    Numpy<Time> estimate;
    Numpy<Time> submit;
    Numpy<Time> wait;
    Numpy<Time> start_in;
    Numpy<std::int64_t> user;
};

// Running jobs as columns, in order of start.
struct RunningArrays {
    Numpy<JobIndex> job;
    Numpy<NodeCount> nodes;
    Numpy<Time> start;
    Numpy<Time> release;
    Numpy<std::int64_t> user;
};

QueueArrays queue_arrays(std::span<const WaitingJob> jobs, const MachineState& machine);

// A View that keeps its simulation alive, since Python may keep the View.
class PythonView {
  public:
    explicit PythonView(std::shared_ptr<Simulator> simulator)
        : simulator_(std::move(simulator)), view_(*simulator_) {}

    View& view() { return view_; }
    const View& view() const { return view_; }

  private:
    std::shared_ptr<Simulator> simulator_;
    View view_;
};

}  // namespace schedlab
