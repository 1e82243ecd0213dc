#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/cluster_plan.h"
#include "core/event_queue.h"
#include "core/job.h"
#include "core/node_pool.h"
#include "core/policy.h"
#include "core/predictor.h"
#include "core/release_list.h"
#include "core/waiting_queue.h"

namespace schedlab {

struct Options {
    NodeCount nodes = 1;
    Time tick = 0;  // 0: events are seen when they happen; else at the next multiple
    bool kill_at_request = true;
    std::vector<NodeCount> clusters = {};  // nodes of each, where jobs need named ones
};

// A steppable discrete-event simulation of whole nodes: one pool, or clusters that jobs name.
//
//     while (simulator.advance()) policy.schedule(view);
//
// At one instant: all completions, then the corrections of predictions that running jobs have
// outlived, then all submissions, then all withdrawals, then one pass.
class Simulator : public std::enable_shared_from_this<Simulator> {
  public:
    // Without a predictor, requests plan.
    Simulator(JobTable jobs, Options options, std::shared_ptr<Predictor> predictor = nullptr);

    // Return a simulation that goes on from here by itself, under a clone of the present policy.
    std::shared_ptr<Simulator> fork(const Policy& clone) const;

    // Goes on to the next moment at which jobs wait and something has happened.
    // False when nothing more will happen, or nothing by then.
    bool advance(Time until = kNever);
    // Runs up to `passes` passes; false when the simulation is over, or nothing more happens by
    // `until`.
    bool run(Policy& policy, std::int64_t passes, Time until = kNever);
    // Puts the queue in the policy's order from now on.
    void use(Policy& policy);

    // Adds a job that is submitted at its time, or now if that is past; returns its place.
    JobIndex add_job(const NewJob& job);
    // Withdraws the job now if it has not started; ends it now if it runs.
    void cancel(JobIndex job);

    Time now() const { return now_; }
    NodeCount nodes() const { return pool_.total(); }
    std::size_t jobs() const { return table_->size(); }
    std::size_t ended() const { return ended_; }
    std::size_t waiting() const { return queue_.size(); }
    const WaitingQueue& queue() const { return queue_; }

    // What happened, by job: kNone where it has not (yet).
    const JobTable& table() const { return *table_; }
    const std::vector<Time>& start_times() const { return start_; }
    const std::vector<Time>& end_times() const { return end_; }
    const std::vector<Time>& eligible_times() const { return eligible_; }
    const std::vector<Time>& promised_times() const { return promised_; }
    const std::vector<Time>& estimates() const { return estimate_; }
    const std::vector<JobState>& states() const { return state_; }
    std::span<const NodeRange> nodes_of(JobIndex job) const;
    // How long it runs once it starts.
    Time run_time(JobIndex job) const {
        return options_.kill_at_request ? std::min(table_->run[job], table_->request[job])
                                        : table_->run[job];
    }

  private:
    Simulator(const Simulator&) = default;

    static constexpr std::int64_t kIdleWakeUps = 100'000;

    friend class LiveCluster;
    friend class View;

    // When an event is noticed: at once, or at the next tick.
    Time seen(Time time) const {
        const Time tick = options_.tick;
        return tick > 0 ? (time + tick - 1) / tick * tick : time;
    }
    Time planned(JobIndex job) const { return seen(expected_run_[job]); }
    Time release_time(JobIndex job) const { return start_[job] + planned(job); }
    // No release is expected sooner than this: an overdue job may end at the next instant.
    Time soonest_release() const { return now_ + (options_.tick > 0 ? options_.tick : 1); }

    MachineState machine() const {
        return {now_, pool_.total(), pool_.free(), soonest_release(), &releases_};
    }

    Time next_event();
    // Ends a run in which the policy only asks for time to pass.
    void require_progress();
    void forget_pass();
    void complete_jobs();
    void complete(JobIndex job);
    void correct_predictions();
    void correct(JobIndex job);
    void predict(JobIndex job);
    SubmittedJob submitted_job(JobIndex job) const;
    void submit_jobs();
    void submit(JobIndex job);
    void cancel_jobs();
    void kill(JobIndex job);
    // Tells an order that learns of all that has happened before it was chosen.
    void teach(Order& order) const;
    void free_dependants(JobIndex job, Time ended);
    bool keys_changed() const;
    void reorder_queue();
    WaitingJob waiting_job(JobIndex job, std::int64_t arrival) const;

    bool names_clusters() const { return !options_.clusters.empty(); }
    std::vector<ClusterNeed> needs(JobIndex job) const;
    // The nodes of all other clusters.
    std::array<NodeRange, 2> outside(std::int32_t cluster) const;

    void start(WaitingQueue::Position position, std::span<const NodeRange> avoid = {});
    void start_on(WaitingQueue::Position position, std::span<const NodeRange> nodes);
    // The job at `position` runs on the ranges from `ranges_begin` on.
    void begin_run(WaitingQueue::Position position, std::size_t ranges_begin);
    void expect_release(JobIndex job);
    void promise(JobIndex job, Time time);
    ClusterPlan& plan();

    std::shared_ptr<JobTable> table_;  // shared by forks; copied before it is written
    Options options_;
    std::shared_ptr<Order> order_;
    std::shared_ptr<Predictor> predictor_;

    Time now_ = 0;
    NodePool pool_;
    std::vector<NodeIndex> first_node_;  // of each cluster, and one past the last
    WaitingQueue queue_;
    ReleaseList releases_;
    EventQueue completions_;
    EventQueue predicted_ends_;  // of jobs whose request is longer

    JobIndex next_submission_ = 0;  // of the jobs given at the beginning, in order of time
    JobIndex given_ = 0;            // how many these are
    EventQueue eligibles_;          // dependants whose dependency has ended, and jobs added since
    std::vector<Event> cancellations_;    // in order of time
    std::size_t next_cancellation_ = 0;
    Time wake_up_ = kNever;  // a pass asked for by the policy
    std::int64_t idle_wake_ups_ = 0;  // in a row, while nothing ran
    bool deciding_ = false;  // between advance() and the next: jobs may be started
    std::vector<std::int32_t> dependants_begin_;  // those of job i: begin[i] .. begin[i + 1]
    std::vector<JobIndex> dependants_;
    std::int64_t arrivals_ = 0;

    // Since the last pass.
    std::vector<JobIndex> completed_;
    std::vector<JobIndex> submitted_;
    std::vector<JobIndex> cancelled_;
    std::vector<JobIndex> started_;
    bool corrected_ = false;
    // The plan of this pass, made when first asked for, and what was reserved in it.
    ClusterPlan plan_;
    bool plan_made_ = false;
    std::vector<Event> reserved_;

    std::vector<Time> start_, end_, eligible_, promised_;
    std::vector<Time> estimate_;      // as predicted; the request where nobody predicts
    std::vector<Time> expected_run_;  // the same, corrected since
    std::vector<std::uint8_t> corrections_;  // how many times; empty without a predictor
    std::vector<JobState> state_;
    std::vector<NodeRange> ranges_;
    std::vector<std::size_t> ranges_begin_;
    std::vector<std::int32_t> ranges_count_;
    std::size_t ended_ = 0;
    std::vector<WaitingJob> scratch_jobs_;
    std::vector<JobIndex> scratch_indices_;
    std::vector<double> scratch_keys_;
};

}  // namespace schedlab
