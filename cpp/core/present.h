#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/simulator.h"

namespace schedlab {

// A job that arrives in an imagined future: like a job of the workload.
struct Arrival {
    JobIndex like;
    Time submit;
    Time run;
    Time estimate = kNone;  // what plans expect; see Present::expect
};

// What may happen from now on.
struct Future {
    // How long each unfinished job runs in all.
    std::shared_ptr<const std::vector<Time>> run;
    std::vector<Arrival> arrivals;
};

// What can be known of a simulation now: the jobs that are submitted and have not ended, what they
// hold, and the announced changes of the machine. It contains no true run time, and no submission,
// withdrawal or failure to come.
//
// Its cost depends on these jobs and the machine, not on the length of the workload. The simulation
// must not change while a Present of it exists.
class Present {
  public:
    explicit Present(const Simulator& simulation);

    Time now() const { return base_->now(); }
    NodeCount nodes() const { return base_->nodes(); }
    // The unfinished jobs: their places in the workload, which rise.
    std::span<const JobIndex> jobs() const { return jobs_; }
    bool is_running(std::size_t place) const { return base_->start_[place] != kNone; }
    // Whether the policy can start it now.
    bool is_waiting(std::size_t place) const {
        return !is_running(place) && base_->eligible_[place] != kNone;
    }
    // How much of its run time the job has done: it runs longer than that.
    Time elapsed(std::size_t place) const;
    // The least run time that the job may be given in a future.
    Time least_run(std::size_t place) const;
    SubmittedJob job(std::size_t place) const;
    // Any job of the workload that was submitted.
    SubmittedJob past_job(JobIndex job) const { return from_.submitted_job(job); }
    Time eligible(std::size_t place) const { return base_->eligible_[place]; }
    Time estimate(std::size_t place) const { return base_->expected_run_[place]; }

    // Sets the estimates of the arrivals: as predicted now, or their requests.
    void expect(std::span<Arrival> arrivals) const;
    // Return the simulation of a future. No policy decides yet: call `use`. The unfinished jobs are
    // numbered by their places here; arrivals follow them.
    std::shared_ptr<Simulator> imagine(const Future& future) const;
    // Return the simulation of past jobs, by rising submission, as they ran: on a machine that is
    // empty before them and does not change. No policy decides yet.
    std::shared_ptr<Simulator> replay(std::span<const Arrival> past) const;

  private:
    void keep_jobs();
    void keep_queue();
    void keep_events();
    void keep_attempts();
    void keep_ranges(std::size_t& begin, std::int32_t count);
    void predict_unseen();
    Time predicted(Predictor& predictor, SubmittedJob job) const;
    JobIndex place_of(JobIndex job) const { return place_among(jobs_, job); }

    const Simulator& from_;
    std::vector<JobIndex> jobs_;
    std::shared_ptr<Simulator> base_;  // its jobs have no run times of their own
};

}  // namespace schedlab
