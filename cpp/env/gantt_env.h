#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "env/gantt_chart.h"
#include "env/gantt_job.h"
#include "env/gantt_options.h"
#include "env/step.h"

namespace schedlab {

// An episode of Casagrande and Pillon's grid: an agent reserves resources for jobs, one by one.
//
// Action i reserves for the job in slot i at the earliest start within the window, and no time
// goes by. The last action, an empty slot or a job for which there is no room lets one time unit
// go by. A slot that becomes empty gets the first job of the backlog; an arriving job the lowest
// empty slot.
class GanttEnv {
  public:
    using Options = GanttOptions;

    explicit GanttEnv(const GanttOptions& options);

    // Begins another episode at the first arrival; `jobs` is not empty, in order of submission,
    // and each job fits into the empty window.
    void reset(std::vector<GanttJob> jobs);
    Step step(std::int64_t action);

    static std::size_t observation_size(const GanttOptions& options);
    static std::size_t actions(const GanttOptions& options) { return options.slots + 1; }
    void observe(std::span<float> observation) const;
    // Which actions make sense now: 1 or 0.
    void mask(std::span<std::uint8_t> legal) const;

    std::int64_t steps() const { return steps_; }
    Time now() const { return now_; }
    const std::vector<GanttJob>& jobs() const { return jobs_; }
    const std::vector<Time>& start_times() const { return start_; }  // kNone: not decided yet
    std::span<const NodeRange> resources_of(JobIndex job) const;
    const std::vector<JobIndex>& slots() const { return slots_; }  // kNoJob: empty
    std::size_t backlog() const { return static_cast<std::size_t>(next_ - backlog_); }
    std::int64_t started() const { return started_; }
    std::int64_t completed() const { return completed_; }
    // The state of the episode, by the names below; `running` counts reservations that have not
    // ended.
    static constexpr std::array kState = {"time_s", "waiting", "running", "started", "steps"};
    std::array<std::int64_t, kState.size()> state() const;
    // Time in the system so far over requested time: the mean over all jobs submitted so far.
    double mean_slowdown() const;

  private:
    double cost() const;
    bool place(std::int64_t action);
    Time earliest_start(JobIndex job) const;
    float colour() const;
    void advance();
    void complete();
    void arrive();

    void observe_image(std::span<float> image) const;
    void observe_vector(std::span<float> numbers) const;
    float share_of_backlog() const;
    float since_arrival() const;

    GanttOptions options_;
    GanttChart chart_;
    std::vector<GanttJob> jobs_;
    std::vector<Time> start_;
    std::vector<NodeRange> ranges_;
    std::vector<std::pair<std::size_t, std::size_t>> ranges_of_;  // by job: from, until

    std::vector<JobIndex> slots_;
    // Slots are refilled at once, so the jobs of the backlog are backlog_ .. next_ - 1.
    JobIndex backlog_ = 0;
    JobIndex next_ = 0;  // the first that has not arrived
    std::vector<JobIndex> placed_;  // those with a reservation that have not completed

    Time now_ = 0;
    Time last_arrival_ = 0;
    std::int64_t steps_ = 0;
    std::int64_t started_ = 0;
    std::int64_t completed_ = 0;
    std::vector<std::int64_t> present_;  // jobs in the system by their duration
    double slowdowns_ = 0;               // sum over all jobs
};

}  // namespace schedlab
