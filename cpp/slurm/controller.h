#pragma once

#include <queue>
#include <vector>

#include "slurm/calendar.h"
#include "slurm/eligible.h"
#include "slurm/job_queue.h"
#include "slurm/limits.h"
#include "slurm/preempting.h"
#include "slurm/priorities.h"
#include "slurm/schedulers.h"

namespace schedlab::slurm {

// A slurmctld that replays the history of a site: its clocks, its queue, and what it does when.
// src/schedlab/slurm/plain is the same in Python, for reading.
class Controller final : public ClusterView {
  public:
    Controller(Site site, Phases phases);
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    // Plays up to this number of events, none of them later than `until`. Returns whether anything
    // is left that could happen by then.
    bool run(std::int64_t events, Moment until);
    // Plays all events up to a moment. Returns whether anything is left that could happen.
    bool run_until(Moment until);
    // The jobs that a priority could move: they wait, are not held, and their conditions are met.
    std::vector<const TwinJob*> movable() const;
    // Sets the nice value as scontrol does: it counts at once.
    void set_nice(JobNumber job, std::int64_t nice);
    // The number of submissions and orders to come, plus that of waiting jobs that may start.
    std::size_t waiting() const;
    const std::vector<TwinJob>& jobs() const { return jobs_; }

    const Selector& selector() const override { return selector_; }
    const Rooms& rooms() const override { return rooms_; }
    const std::vector<TwinJob*>& running() const override { return running_; }
    WaitingJobs queue() override;
    Nodes usable() const override;
    Nodes in_service() const override;
    Nodes barred(const TwinJob& job, Second begin, Second end) const override;
    bool has_reservations() const override { return !calendar_.empty(); }
    KeptCores kept_cores(const TwinJob& job, Second begin, Second end) const override {
        return calendar_.kept_cores(*job.row, begin, end, running_);
    }
    std::optional<Second> next_reservation_end(Second from) const override {
        return calendar_.next_end(from);
    }
    Second eligible_for(const TwinJob& job) const override {
        return second(now_) - second(job.begin);
    }
    bool may_preempt(const QueueRecord& record) const override {
        return !site_.settings.gangs &&
               preempting_.may_preempt_any(*record.job->row, *record.place);
    }
    Second now_second() const override { return second(now_); }
    bool has_licences(const QueueRecord& record) const override {
        return eligible_.has_licences(*record.job);
    }
    bool lacks_nodes(const QueueRecord& record) const override;
    bool may_start(const QueueRecord& record) const override;
    bool could_start(const QueueRecord& record) const override;
    bool may_have(const QueueRecord& record, const Amounts& amounts) const override;
    void start(const QueueRecord& record, const std::vector<NodeIndex>& nodes,
               Scheduler by) override;
    Picked preempt(const QueueRecord& record, const Nodes& allowed) override;

  private:
    enum class What { submit, recorded, end, tick, main_now, backfill, priority, order, close, open, ping };
    struct Event {
        Moment time;
        std::int64_t count;  // of events so far: those of one moment come in this order
        What what;
        std::size_t about;

        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : count > other.count;
        }
    };

    Second second(Moment time) const { return second_of(site_, time); }
    void push(Moment time, What what, std::size_t about = 0);
    void begin();
    // Whether a job runs or may still run, or something is to come.
    bool is_open();
    // After this long without a change every loop has looked at every job.
    Moment cycle() const;
    void play_next();
    void play(const Event& event);

    // Whether all partitions of the job are down.
    bool is_closed(const JobRow& job) const;
    // Notes why the job waits, if anything keeps it. Returns whether something does.
    static bool refuse(TwinJob& job, WaitReason reason);
    // Notes whether a new job could run now if no other ran.
    void test_nodes(TwinJob& job, const PlaceRow& place);

    void submit(TwinJob& job);
    // Starts a job that ran when the history begins, before the first turn of any loop.
    void start_as_recorded(TwinJob& job);
    void enter_queue(TwinJob& job);
    void leave_queue(TwinJob& job);
    template <typename Change>
    void rank_again(TwinJob& job, Change change);
    void tick();
    void test_limits(Second second);
    void backfill();
    Moment next_tick() const;
    // How long before this turn the loop had read the clock.
    Moment loop_delay() const;
    Moment next_backfill(Moment expected) const;
    // Whether this turn of the loop tests the time limits: as the log shows, or if it is due.
    bool tests_limits(bool is_due) const;
    Moment expected_end(const TwinJob& job) const;
    void finish(TwinJob& job, Ending how);
    void withdraw(TwinJob& job);
    // Ends a running job; the main scheduler runs when its nodes have answered. Jobs that are killed
    // together answer one after another.
    void kill(TwinJob& job, Ending how);

    // Marks a job that has a grace time; ends one that has none, or none left.
    void take_room_of(TwinJob& victim);
    void end_preempted(TwinJob& victim);

    void obey(const OrderRow& order);
    void obey(const OrderRow& order, TwinJob& job);
    void cancel(TwinJob& job, Ending how);
    void requeue(TwinJob& job, Ending how);
    void release(TwinJob& job);
    // Suspends the job where it is: others may have its CPUs; it keeps its memory and its GPUs.
    void suspend(TwinJob& job);
    // Resumes the job. If others of its partition have its CPUs now, they share them, and Slurm
    // counts only those of the others.
    void unsuspend(TwinJob& job);
    void stop(TwinJob& job);
    // Lets the job run again, with what is left of its limit.
    void go_on(TwinJob& job);
    // Suspends jobs whose CPUs are taken by jobs of higher tiers; resumes those whose CPUs are
    // free. In a partition, running jobs stay as long as there is room; then suspended ones go on.
    void share_by_tier();
    void share_in(std::int32_t partition, std::vector<std::int32_t> taken,
                  std::vector<std::int32_t>& running);
    void hold_instead(TwinJob& job, std::vector<NodeShare> shares);
    void close(const Nodes& nodes, bool is_outage);
    void open(const Nodes& nodes);
    void take_down(const Nodes& nodes);

    bool comes_before(const QueueRecord& one, const QueueRecord& other) const;

    const Site site_;
    const Phases phases_;
    std::vector<TwinJob> jobs_;
    Selector selector_;
    Rooms rooms_;
    std::vector<TwinJob*> running_, pending_;
    JobQueue queue_;
    std::int64_t came_ = 0;  // pending jobs so far
    Limits limits_;
    Eligible eligible_;
    SlurmCalendar calendar_;
    Preempting preempting_;
    Priorities priorities_;
    Moment now_ = 0;
    std::vector<Moment> completing_;  // by node: until when
    Nodes drained_;
    std::vector<Nodes> pinged_;  // nodes that a ping brings back, ping by ping
    std::vector<bool> closed_;  // by partition
    Moment patience_ = 0;
    Moment progress_ = 0;   // when a job last came, or ended other than by preemption
    Moment longest_ = 0;    // after this time a running job has ended
    std::size_t to_come_ = 0;  // submissions and orders
    std::int64_t asked_ = 0;   // requests for the main scheduler
    Moment answered_ = -kNeverEnds;  // the last answer to a kill that the log has
    Second last_main_ = 0, last_full_ = 0, last_limits_ = 0;
    bool changed_ = true;
    bool begun_ = false;
    std::int64_t count_ = 0;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace schedlab::slurm
