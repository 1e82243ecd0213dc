#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/calendar.h"
#include "core/count_plan.h"
#include "core/eligibility.h"
#include "core/event_queue.h"
#include "core/job.h"
#include "core/node_choice.h"
#include "core/node_plan.h"
#include "core/node_pool.h"
#include "core/node_states.h"
#include "core/policy.h"
#include "core/predictor.h"
#include "core/release_list.h"
#include "core/waiting_queue.h"

namespace schedlab {

// Which running jobs a waiting one may preempt.
enum class PreemptBy : std::int8_t {
    nobody = 0,
    tier = 1,  // those of a lower tier
    srpt = 2,  // those with more time left than it needs
};

struct Options {
    NodeCount nodes = 1;
    Time tick = 0;  // 0: events are seen when they happen; else at the next multiple
    bool kill_at_request = true;
    // Null where jobs take whole nodes of one pool.
    std::shared_ptr<const Machine> machine = nullptr;
    // Jobs take whole nodes of sets that have no node in common: plans need only count nodes.
    bool counted = true;
    // Null where jobs take the lowest-numbered nodes.
    std::shared_ptr<const NodeChoice> place = nullptr;
    // Null where the machine stays as it is.
    std::shared_ptr<const MachineChanges> changes = nullptr;
    PreemptBy preempt_by = PreemptBy::nobody;
};

// A node that no job may use for a while.
struct Closing {
    NodeIndex node;
    Time from;
    Time until;
};

// A plan of the kind that the machine needs, and what a policy in Python has reserved in it.
struct PassPlan {
    struct Reserved {
        JobIndex job;
        NodePlan::Slot slot;
    };

    std::variant<CountPlan, NodePlan> plan;
    bool made = false;
    std::vector<Reserved> reserved;
};

// A steppable discrete-event simulation of a machine.
//
//     while (simulator.advance()) policy.schedule(view);
//
// At one instant events happen in the order of their kinds; then waiting jobs preempt running ones,
// then comes one pass.
class Simulator : public std::enable_shared_from_this<Simulator>, private RoomTimes {
  public:
    // Without a predictor, plans use requests. Without rules, jobs are eligible when they are
    // submitted.
    Simulator(JobTable jobs, Options options, std::shared_ptr<Predictor> predictor = nullptr,
              std::optional<EligibilityRules> rules = std::nullopt);

    // Return a simulation that goes on from here by itself, under a clone of the present policy.
    std::shared_ptr<Simulator> fork(const Policy& clone) const;

    // Goes on to the next moment at which jobs wait and something has happened.
    // False when nothing more will happen, or nothing by `until`.
    bool advance(Time until = kNever);
    // Runs up to `passes` passes; false when the simulation is over, or nothing more happens by
    // `until`.
    bool run(Policy& policy, std::int64_t passes, Time until = kNever);
    // Puts the queue in the policy's order from now on.
    void use(Policy& policy);

    // Forgets what cannot be known: true run times, and submissions, withdrawals and failures to
    // come. `jobs`, which are unfinished, get the run times `run` instead; other unfinished jobs
    // run as long as they asked for.
    void imagine(std::span<const JobIndex> jobs, std::span<const Time> run);

    // Adds a job that is submitted at its time, or now if that is past; returns its place.
    JobIndex add_job(const NewJob& job);
    // Return the place of a set of nodes or a share, for the parts of jobs that are added.
    std::int32_t place_of(NodeSet set);
    std::int32_t place_of(Share share);
    // Return the group of guests to whom these intervals of the calendar are open.
    std::int32_t group_of(const OpenTo& open_to) { return calendar_.group_of(open_to); }
    // Withdraws the job now if it has not started; ends it now if it runs.
    void cancel(JobIndex job);

    const Options& options() const { return options_; }
    Time now() const { return now_; }
    NodeCount nodes() const { return pool_.total(); }
    std::size_t jobs() const { return table_->size(); }
    std::size_t ended() const { return ended_; }
    std::size_t waiting() const { return queue_.size(); }
    const WaitingQueue& queue() const { return queue_; }

    // What has happened, by job; kNone where it has not happened yet.
    const JobTable& table() const { return *table_; }
    const std::vector<Time>& start_times() const { return start_; }
    const std::vector<Time>& end_times() const { return end_; }
    const std::vector<Time>& eligible_times() const { return eligible_; }
    const std::vector<Time>& promised_times() const { return promised_; }
    const std::vector<Time>& estimates() const { return estimate_; }
    const std::vector<JobState>& states() const { return state_; }
    // The nodes that the job holds, or held last.
    std::span<const NodeRange> nodes_of(JobIndex job) const;
    // The GPUs that it has or had of each of its nodes; empty where GPUs are only counted.
    std::span<const GpuMask> gpus_of(JobIndex job) const {
        if (gpus_.empty()) return {};
        return gpus_[job];
    }
    // The attempts that were interrupted, in order of their ends.
    std::span<const Attempt> attempts() const { return attempts_; }
    std::span<const NodeRange> nodes_of(const Attempt& attempt) const;
    // How long the job runs in all.
    Time run_time(JobIndex job) const {
        return options_.kill_at_request ? std::min(would_run(job), table_->request[job])
                                        : would_run(job);
    }

  private:
    Simulator(const Simulator&) = default;

    static constexpr std::int64_t kIdleWakeUps = 100'000;

    friend class LiveCluster;
    friend class Present;
    friend class View;

    // How long the job would run if it were not killed.
    Time would_run(JobIndex job) const {
        const auto place = static_cast<std::size_t>(job);
        return imagined_ && place < imagined_->size() ? (*imagined_)[place] : table_->run[place];
    }

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
        return {now_, pool_.total(), pool_.free(), soonest_release(), &releases_,
                one_pool() ? nullptr : this};
    }

    // The nodes of these ranges, without the consumables behind them.
    std::span<const NodeRange> real_nodes(std::size_t begin, std::int32_t count) const;
    // All that the job holds: nodes, and consumables behind them.
    std::span<const NodeRange> held_by(JobIndex job) const {
        return {ranges_.data() + ranges_begin_[job], static_cast<std::size_t>(ranges_count_[job])};
    }
    bool is_running(JobIndex job) const {
        return start_[job] != kNone && state_[job] == JobState::waiting;
    }

    Time next_event();
    void drop_void_events();
    bool is_void_end(const Event& event) const {
        return !is_running(event.index) || end_[event.index] != event.time;
    }
    bool is_void_correction(const Event& event) const {
        return !is_running(event.index) || release_time(event.index) != event.time;
    }
    bool is_void_withdrawal(const Event& event) const {
        return start_[event.index] != kNone || state_[event.index] != JobState::waiting ||
               attempted(event.index);
    }
    // Throws if the policy asks to be woken more than kIdleWakeUps times in a row while no job runs
    // or starts.
    void require_progress();
    void forget_pass();
    void complete_jobs();
    void complete(JobIndex job);
    // Records that the job has ended for good.
    void finish(JobIndex job, Time ended);
    void correct_predictions();
    void correct(JobIndex job);
    void predict(JobIndex job);
    SubmittedJob submitted_job(JobIndex job) const;
    void submit_jobs();
    void submit(JobIndex job);
    // Removes tasks whose array has no room from the submitted jobs, from `first_new` on.
    void hold_back(std::size_t first_new);
    void cancel_jobs();
    // Puts the queue in order and lets its jobs preempt others; false if no job waits then.
    bool prepare_queue();
    // Teaches the order the jobs that ended before it was chosen, if it learns.
    void teach(Order& order) const;
    // Puts the waiting jobs in a queue of the kind that the order needs.
    void fill_queue();
    bool is_gated(JobIndex job) const { return eligibility_ && eligibility_->gates(job); }
    // Withdraws a job that has not started.
    void withdraw(JobIndex job, Time time);
    // Updates the jobs that depend on one that has ended for good or was withdrawn: they may
    // follow, or never can.
    void let_follow(JobIndex job, Time ended);
    void enqueue(JobIndex job, std::int64_t arrival);
    bool keys_changed() const;
    void reorder_queue();
    WaitingJob waiting_job(JobIndex job, std::int64_t arrival) const;

    // Whether jobs take whole nodes, and any node will do.
    bool one_pool() const { return !states_; }
    const Demand& demand(JobIndex job) const { return table_->demands[table_->demand[job]]; }
    std::span<const Part> parts(JobIndex job) const { return demand(job).parts; }
    bool is_consumable(NodeIndex node) const { return node >= options_.nodes; }
    bool has_room(JobIndex job) const {
        return one_pool() ? table_->nodes[job] <= pool_.free() : has_room_on_nodes(job);
    }
    bool has_room_on_nodes(JobIndex job) const;
    std::int64_t freed_ever() const {
        return freed_before_ + static_cast<std::int64_t>(freed_.size());
    }
    // Whether a node that came free since then (a value of freed_ever) has room for the job.
    bool freed_since_helps(JobIndex job, std::int64_t since) const;
    Time time_until_room(JobIndex job) const override;
    // Whether an announced change before that time may concern the job.
    bool is_disturbed(JobIndex job, Time until) const;
    // The nodes that the job may not use if it starts now; null if it may use all.
    const NodeSet* barred(JobIndex job) const;
    bool lasts(NodeIndex consumable, Amount wanted, Time end) const;
    // The plan of the running jobs alone.
    const NodePlan& running_plan() const;

    // Changes of the machine itself.
    void schedule_changes();
    void change_machine();
    void change_capacity(const CapacityStep& step);
    void fail(const NodeFailure& failure);
    void close_node(NodeIndex node, Time until);
    void open_nodes();
    static constexpr std::int32_t kRepair = -1;  // an opening that ends a repair, not an interval

    // Attempts that are interrupted.
    bool attempted(JobIndex job) const {
        return !progress_.empty() && progress_[job].attempt != kNoAttempt;
    }
    Time saved(JobIndex job) const { return progress_.empty() ? 0 : progress_[job].saved; }
    // The work that the job has done, once its last attempt has ended.
    Time work(JobIndex job) const {
        return (progress_.empty() ? 0 : progress_[job].begun) + end_[job] - start_[job];
    }
    bool may_requeue(JobIndex job) const {
        return table_->requeue.empty() || table_->requeue[job] != 0;
    }
    JobTable& own_table();
    // Ends the attempts of all jobs on these nodes.
    void interrupt_all(const NodeSet& nodes, WhyEnded why);
    void interrupt(JobIndex job, WhyEnded why, bool again);
    void give_up(JobIndex job, bool again);
    void wait_again(JobIndex job, Time kept);
    void bind_to_nodes(JobIndex job);
    void unbind(JobIndex job);
    // The same for a job that waits again.
    void give_up_waiting(JobIndex job, bool again);
    friend class Preemption;
    template <typename Added>
    std::int32_t add_to_machine(Added added);

    void start(WaitingQueue::Position position, std::span<const NodeRange> avoid = {});
    // Appends the nodes that the job takes if it starts now; false if there are too few.
    bool choose(JobIndex job, Placement& nodes) const;
    void start_on(WaitingQueue::Position position, std::span<const NodeRange> nodes,
                  std::span<const GpuMask> gpus = {});
    // The job at `position` runs on the ranges from `ranges_begin` on.
    void begin_run(WaitingQueue::Position position, std::size_t ranges_begin,
                   std::span<const GpuMask> gpus = {});
    // The GPUs that the job takes of each of these nodes if it starts now; none where GPUs are only
    // counted.
    std::vector<GpuMask> choose_gpus(JobIndex job, std::span<const NodeRange> nodes) const;
    void expect_release(JobIndex job);
    void promise(JobIndex job, Time time);
    void hold_nodes(JobIndex job);
    void release_nodes(JobIndex job);
    void note_freed(NodeRange nodes);
    void make_plan();

    std::shared_ptr<JobTable> table_;  // shared by forks; copied before it is written
    // Run times of the first jobs instead of the table's; null where the table's are used.
    std::shared_ptr<const std::vector<Time>> imagined_;
    // The simulation that knows the jobs that ended before this one began; null where this one
    // began with the first job.
    const Simulator* before_ = nullptr;
    Options options_;
    std::shared_ptr<Order> order_;
    std::shared_ptr<Predictor> predictor_;

    Time now_ = 0;
    NodePool pool_;  // idle nodes
    std::optional<NodeStates> states_;  // none where the machine is one pool
    WaitingQueue queue_;
    ReleaseList releases_;
    EventQueue events_;
    Calendar calendar_;
    std::size_t depth_ = static_cast<std::size_t>(-1);  // how many jobs may preempt others
    std::map<NodeIndex, Time> closed_;                  // by node: until when it is closed

    JobIndex next_submission_ = 0;  // of the jobs given at the beginning, in order of time
    JobIndex given_ = 0;            // the number of these jobs
    Time wake_up_ = kNever;  // a pass asked for by the policy
    std::int64_t idle_wake_ups_ = 0;  // in a row, while nothing ran
    bool deciding_ = false;  // between advance() and the next: jobs may be started
    std::optional<Eligibility> eligibility_;  // none where jobs wait for nothing but nodes
    std::int64_t arrivals_ = 0;

    // Since the last pass.
    std::vector<JobIndex> completed_;
    std::vector<JobIndex> submitted_;
    std::vector<JobIndex> cancelled_;
    std::vector<JobIndex> started_;
    std::vector<Closing> closings_;
    bool upset_ = false;            // something has happened that no plan foresaw
    bool machine_changed_ = false;  // the machine itself, not its jobs
    bool misplaced_ = false;        // a job that waits again stands at the wrong place
    PassPlan plan_;  // of this pass, made when first needed
    // The last nodes that came free; by demand, the value of freed_ever when the demand was last
    // found to have no room.
    static constexpr std::size_t kFreedKept = 4096;
    std::vector<NodeRange> freed_;
    std::int64_t freed_before_ = 0;  // the number of ranges forgotten before these
    mutable std::vector<std::int64_t> no_room_;
    // Rises with each start; by demand, its value when the demand was last found to have room.
    std::int64_t started_ever_ = 0;
    mutable std::vector<std::int64_t> roomy_;

    std::vector<Time> start_, end_, eligible_, promised_;
    std::vector<Time> estimate_;      // as predicted; the request without a predictor
    std::vector<Time> expected_run_;  // the same, corrected since
    std::vector<std::uint8_t> corrections_;  // how many times; empty without a predictor
    std::vector<JobState> state_;
    // What a job has done in earlier attempts; empty where none can be interrupted.
    static constexpr std::int32_t kNoAttempt = -1;
    struct Progress {
        Time begun = 0;  // the work that its present or last attempt began with
        Time saved = 0;  // the work that its next attempt begins with
        std::int64_t arrival = 0;
        std::int32_t attempt = kNoAttempt;  // its last in `attempts_`
        std::int32_t asked = -1;            // its demand before it was suspended
    };
    std::vector<Progress> progress_;
    std::vector<Attempt> attempts_;
    std::vector<JobIndex> suspended_;
    std::vector<NodeRange> ranges_;
    std::vector<std::size_t> ranges_begin_;
    std::vector<std::int32_t> ranges_count_;
    std::vector<std::vector<GpuMask>> gpus_;  // by job; empty where GPUs are only counted
    std::size_t ended_ = 0;
    std::vector<WaitingJob> scratch_jobs_;
    std::vector<double> scratch_keys_;
    mutable NodeSet barred_;
    mutable NodePlan running_plan_;
};

}  // namespace schedlab
