#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "slurm/backfill_plan.h"
#include "slurm/rooms_to_come.h"
#include "slurm/selector.h"

namespace schedlab::slurm {

// The jobs that may run, each with a partition, in order.
struct WaitingJobs {
    std::vector<QueueRecord> records;
    std::size_t unsettled;                   // records of jobs whose reasons are unsettled
    std::size_t reserved;                    // records of jobs of reservations
    std::vector<std::int64_t> in_partition;  // how many records
};

// What the schedulers see of the cluster, and may do with it.
class ClusterView {
  public:
    virtual ~ClusterView() = default;
    virtual const Selector& selector() const = 0;
    virtual const Rooms& rooms() const = 0;
    virtual const std::vector<TwinJob*>& running() const = 0;
    virtual WaitingJobs queue() = 0;
    // Nodes that may get jobs now. `in_service`: also those whose jobs are still completing.
    virtual Nodes usable() const = 0;
    virtual Nodes in_service() const = 0;
    // Nodes that reservations keep from the job between these seconds.
    virtual Nodes barred(const TwinJob& job, Second begin, Second end) const = 0;
    virtual bool has_reservations() const = 0;
    // Free cores of nodes that reservations keep from the job.
    virtual KeptCores kept_cores(const TwinJob& job, Second begin, Second end) const = 0;
    // The first end of a reservation that is not before this time.
    virtual std::optional<Second> next_reservation_end(Second from) const = 0;
    // How long the job has been eligible.
    virtual Second eligible_for(const TwinJob& job) const = 0;
    virtual Second now_second() const = 0;
    virtual bool has_licences(const QueueRecord& record) const = 0;
    // Whether the job needs nodes that are out of service.
    virtual bool lacks_nodes(const QueueRecord& record) const = 0;
    // Whether licences and limits on numbers of jobs let the job start. If they do not, its reason
    // to wait is noted.
    virtual bool may_start(const QueueRecord& record) const = 0;
    // Whether licences and all limits let the job start with what it asks for; no reason is noted.
    virtual bool could_start(const QueueRecord& record) const = 0;
    // Whether limits on resources let the job have these amounts.
    virtual bool may_have(const QueueRecord& record, const Amounts& amounts) const = 0;
    virtual void start(const QueueRecord& record, const std::vector<NodeIndex>& nodes,
                       Scheduler by) = 0;
    // `may_preempt`: whether there can be jobs that this job may end. `preempt`: ends some, if that
    // makes room, and returns the nodes that the job can then have.
    virtual bool may_preempt(const QueueRecord& record) const = 0;
    virtual Picked preempt(const QueueRecord& record, const Nodes& allowed) = 0;
};

// The main scheduler starts jobs that fit, in order; the first job that does not fit closes its
// partition, or the reservation that it is in. Looks at `depth` jobs; 0 for all.
void run_main(const Site& site, ClusterView& cluster, std::int64_t depth);

// A cycle of backfill: plans all jobs in order on whole nodes, and starts those whose plan begins
// now.
class BackfillCycle {
  public:
    BackfillCycle(const Site& site, ClusterView& cluster);
    // Goes through the queue. Returns how many jobs were tested.
    std::int64_t go();

  private:
    struct Start {
        Second second;
        std::vector<NodeIndex> nodes;
    };

    bool is_allowed(const QueueRecord& record) const;
    // Whether no other task of the array is planned in this cycle.
    bool is_used_up(const JobRow& task) const;
    // Notes which records come behind bf_max_job_user others of their user.
    void note_places();
    // Moves `last_` back to the last record that may matter, of those to come.
    void find_last();
    // Whether the job could start now, as far as running and planned jobs let it, or whether its test
    // leaves a trace.
    bool may_matter(const QueueRecord& record);
    // The nodes in service that were useful to jobs of this shape when this was first asked.
    const Nodes& useful_now(std::int32_t shape);
    // Takes in that the nodes are planned for a job from `begin` on.
    void has_planned(Second begin, const Nodes& nodes);
    // Whether the job may be planned, if it cannot start now.
    bool may_reserve(const QueueRecord& record) const;
    // Starts the job, or plans it. Returns whether it has started.
    bool place(const QueueRecord& record);
    // The slot behind the next end of a reservation, if the window has it.
    std::optional<Second> next_reservation_end(Second from) const;
    // When and where the job can start on these nodes as running jobs end; nothing if it cannot by
    // `deadline`.
    std::optional<Start> will_run(const ShapeRow& shape, const Outlook& outlook,
                                  const Nodes& allowed, const KeptCores& kept,
                                  std::optional<Second> deadline);
    // Call one when rooms have changed: others were ended for a job, or a job has started.
    void look_again();
    void has_started(const TwinJob& job);
    const Outlook& outlook_of(std::int32_t shape);
    Nodes set_of(const std::vector<NodeIndex>& nodes) const;

    const Site& site_;
    ClusterView& cluster_;
    Second now_;
    BackfillPlan plan_;
    Nodes service_, usable_;
    BackfillPlan::Window window_;
    bool knows_rooms_ = false;
    RoomsToCome rooms_;  // once a job is placed
    std::unordered_map<std::int32_t, Outlook> outlooks_;  // by shape
    std::unordered_set<const TwinJob*> planned_;
    std::vector<std::int64_t> reserved_;  // by partition: how many reservations
    // Jobs behind the last one that may matter need no plan: a plan only affects jobs after it.
    WaitingJobs waiting_;
    std::size_t next_ = 0, last_;  // records: the next one, and how many up to the last that matters
    // Shapes and lengths of jobs that cannot start now. What keeps them lasts for the whole cycle.
    std::set<std::pair<std::int32_t, Second>> hopeless_;
    std::unordered_map<std::int64_t, std::int64_t> arrays_;  // how many of their tasks are planned
    std::vector<bool> is_behind_;  // by record
    std::unordered_map<std::int32_t, Nodes> useful_now_;  // by shape
    Nodes last_nodes_;     // that the last job that matters could have now
    Second last_end_ = 0;  // when it would reach its limit
    NodeCount last_needed_ = 0;
    // Sets of nodes while a job is placed; they keep their memory.
    Nodes inside_, there_, allowed_, able_, offering_, mattering_;
};

}  // namespace schedlab::slurm
