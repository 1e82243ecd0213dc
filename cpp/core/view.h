#pragma once

#include <optional>
#include <span>

#include "core/simulator.h"

namespace schedlab {

// All a policy may know and do at a pass. It has no way to a job's true run time.
class View {
  public:
    explicit View(Simulator& simulator) : sim_(&simulator) {}

    Time now() const { return sim_->now_; }
    NodeCount total_nodes() const { return sim_->pool_.total(); }
    NodeCount free_nodes() const { return sim_->pool_.free(); }
    std::size_t jobs() const { return sim_->table_->size(); }

    const WaitingQueue& queue() const { return sim_->queue_; }
    // Since the last pass.
    std::span<const JobIndex> completed() const { return sim_->completed_; }
    std::span<const JobIndex> submitted() const { return sim_->submitted_; }
    std::span<const JobIndex> cancelled() const { return sim_->cancelled_; }

    std::int64_t id(JobIndex job) const { return sim_->table_->id[job]; }
    NodeCount nodes(JobIndex job) const { return sim_->table_->nodes[job]; }
    Time request(JobIndex job) const { return sim_->table_->request[job]; }
    // How long the job is expected to run: the prediction, or the request without a predictor.
    Time estimate(JobIndex job) const { return sim_->expected_run_[job]; }
    Time submit(JobIndex job) const { return sim_->table_->submit[job]; }
    Time eligible(JobIndex job) const { return sim_->eligible_[job]; }
    std::int64_t user(JobIndex job) const { return sim_->table_->user[job]; }
    WaitingJob waiting(WaitingQueue::Position position) const;
    void teach(Order& order) const { sim_->teach(order); }
    SubmittedJob submitted_job(JobIndex job) const { return sim_->submitted_job(job); }
    // How long a job that has ended ran.
    Time ran(JobIndex job) const { return sim_->work(job); }
    // What an order may know of the machine now.
    MachineState machine() const { return sim_->machine(); }
    // How long the job occupies its nodes in a plan: its estimate, up to the next tick.
    Time planned(JobIndex job) const { return sim_->planned(job); }

    // In order of their start.
    std::vector<JobIndex> running() const;
    Time promised(JobIndex job) const { return sim_->promised_[job]; }
    // Of a job that has started.
    std::span<const NodeRange> nodes_of(JobIndex job) const { return sim_->nodes_of(job); }
    std::span<const GpuMask> gpus_of(JobIndex job) const { return sim_->gpus_of(job); }
    // With the consumables that follow the nodes.
    std::span<const NodeRange> held_by(JobIndex job) const { return sim_->held_by(job); }
    Time start_of(JobIndex job) const { return sim_->start_[job]; }
    // When a running or completed job was expected to release its nodes.
    Time expected_release(JobIndex job) const { return sim_->release_time(job); }
    const ReleaseList& releases() const { return sim_->releases_; }
    Time soonest_release() const { return sim_->soonest_release(); }
    // Whether a running job has exceeded its request.
    bool overdue() const { return sim_->releases_.first() <= sim_->now_; }
    // Whether plans made earlier do not hold: a running job has exceeded its request or, since the
    // last pass, has outlived its estimate or was interrupted.
    bool plans_are_void() const { return sim_->upset_ || overdue(); }
    // The announced changes of the machine.
    const Calendar& calendar() const { return sim_->calendar_; }
    std::int32_t guest(JobIndex job) const { return sim_->demand(job).guest; }
    bool is_disturbed(JobIndex job, Time until) const { return sim_->is_disturbed(job, until); }
    const NodeSet* barred(JobIndex job) const { return sim_->barred(job); }
    bool is_consumable(NodeIndex node) const { return sim_->is_consumable(node); }
    const NodePlan& running_plan() const { return sim_->running_plan(); }
    // Whether the machine itself has changed since the last pass, and which nodes were closed.
    bool machine_changed() const { return sim_->machine_changed_; }
    std::span<const Closing> closings() const { return sim_->closings_; }
    const std::map<NodeIndex, Time>& closed_nodes() const { return sim_->closed_; }
    // Jobs that have started in the place of others since the last pass.
    std::span<const JobIndex> started() const { return sim_->started_; }
    // When the running jobs will have left enough nodes.
    Shadow shadow(NodeCount needed) const {
        return sim_->releases_.shadow(needed, free_nodes(), soonest_release());
    }

    // Call it when, in the middle of a pass, another policy begins or the order gives other keys
    // than before. What has happened since the last pass is then in the state, and jobs move to
    // other positions.
    void begin_again() {
        sim_->forget_pass();
        sim_->deciding_ = true;
        sim_->reorder_queue();
    }

    void start(WaitingQueue::Position position) { sim_->start(position); }
    // On none of the nodes `avoid`.
    void start(WaitingQueue::Position position, std::span<const NodeRange> avoid) {
        sim_->start(position, avoid);
    }
    // On these very nodes, which must have room and be as many as the job needs.
    void start_on(WaitingQueue::Position position, std::span<const NodeRange> nodes) {
        sim_->start_on(position, nodes);
    }
    // In the slot that a plan gives the job.
    void start(WaitingQueue::Position position, const CountPlan::Slot&) { sim_->start(position); }
    void start(WaitingQueue::Position position, const NodePlan::Slot& slot) {
        sim_->start_on(position, slot.nodes, slot.gpus);
    }
    NodeCount free_nodes_outside(std::span<const NodeRange> nodes) const {
        return sim_->pool_.free_outside(nodes);
    }
    // The lowest `count` of the nodes that are expected to be free at that time.
    std::vector<NodeRange> lowest_nodes_free_at(Time time, NodeCount count) const;
    // Records the first start time ever promised to the job.
    void promise(JobIndex job, Time time) { sim_->promise(job, time); }

    // Whether jobs take whole nodes, and any node will do.
    bool one_pool() const { return sim_->one_pool(); }
    // Whether plans need only count nodes: jobs take whole nodes of sets without common nodes.
    bool counts_nodes() const { return sim_->options_.counted; }
    // Only where the machine is not one pool.
    const NodeStates& node_states() const { return *sim_->states_; }
    // Which nodes a job takes; null for the lowest-numbered.
    const NodeChoice* place() const { return sim_->options_.place.get(); }
    std::shared_ptr<const Machine> machine_of_nodes() const { return sim_->options_.machine; }
    std::span<const Part> parts(JobIndex job) const { return sim_->parts(job); }
    // The place of the job's parts among all different ones.
    std::int32_t demand(JobIndex job) const { return sim_->table_->demand[job]; }
    std::size_t demands() const { return sim_->table_->demands.size(); }
    // Whether it is certain that nothing more can start now.
    bool is_full() const { return one_pool() && free_nodes() == 0; }
    // How often nodes have come free so far.
    std::int64_t freed_ever() const { return sim_->freed_ever(); }
    // Whether a node that came free since then (a value of freed_ever) has room for the job.
    bool freed_since_helps(JobIndex job, std::int64_t since) const {
        return sim_->freed_since_helps(job, since);
    }
    // Whether the waiting job has room now.
    bool has_room(JobIndex job) const { return sim_->has_room(job); }

    // For policies in Python: jobs are given by number, and every rule is checked.
    std::shared_ptr<Simulator> simulator() const { return sim_->shared_from_this(); }
    void require_job(JobIndex job) const;
    void require_started(JobIndex job) const;
    bool fits(JobIndex job) const;
    // Whether the job can start now without moving a reservation of this pass.
    bool can_start(JobIndex job) { return can_start_at(job, now()); }
    bool can_start_at(JobIndex job, Time time);
    void start_job(JobIndex job);
    // Reserves the start `at`, or without it the earliest start that moves no reservation of this
    // pass. Returns the start.
    Time reserve(JobIndex job, std::optional<Time> at = {}, bool as_promise = true);
    // Gives back what was reserved for the job in this pass.
    void give_back(JobIndex job);
    // Asks for a pass at that time. If another pass comes first, the policy must ask again.
    void wake_at(Time time);

  private:
    WaitingQueue::Position waiting_position(JobIndex job) const;
    std::vector<PassPlan::Reserved>::iterator reservation(JobIndex job);
    // The first slot for the job from `from` on in the plan of this pass.
    NodePlan::Slot earliest(JobIndex job, Time from);
    void change_plan(JobIndex job, const NodePlan::Slot& slot, bool reserve);

    Simulator* sim_;
};

}  // namespace schedlab
