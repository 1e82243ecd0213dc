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
    // Nodes that may get jobs now; and those that may once they have completed.
    virtual Nodes usable() const = 0;
    virtual Nodes in_service() const = 0;
    // Nodes that reservations keep from the job between these seconds.
    virtual Nodes barred(const TwinJob& job, Second begin, Second end) const = 0;
    virtual bool has_reservations() const = 0;
    // Free cores of nodes that they keep from it.
    virtual KeptCores kept_cores(const TwinJob& job, Second begin, Second end) const = 0;
    // The first end of one that is not before this.
    virtual std::optional<Second> next_reservation_end(Second from) const = 0;
    // How long the job has been eligible.
    virtual Second eligible_for(const TwinJob& job) const = 0;
    virtual Second now_second() const = 0;
    virtual bool has_licences(const QueueRecord& record) const = 0;
    // Whether it needs nodes that are out of service.
    virtual bool lacks_nodes(const QueueRecord& record) const = 0;
    // Whether licences and limits on numbers of jobs let it start. Where they do not, it is noted
    // why the job waits.
    virtual bool may_start(const QueueRecord& record) const = 0;
    // Whether both let it start with what it asks for; no reason is noted.
    virtual bool could_start(const QueueRecord& record) const = 0;
    // Whether limits on resources let it have these.
    virtual bool may_have(const QueueRecord& record, const Amounts& amounts) const = 0;
    virtual void start(const QueueRecord& record, const std::vector<NodeIndex>& nodes,
                       Scheduler by) = 0;
    // Whether there may be jobs that it may end; ends some, if that makes room. Returns the nodes
    // that it can have then.
    virtual bool may_preempt(const QueueRecord& record) const = 0;
    virtual Picked preempt(const QueueRecord& record, const Nodes& allowed) = 0;
};

// The main scheduler starts what fits, in order; the first job that does not fit closes its
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
    // Goes back to the last record that may matter, of those that are to come.
    void find_last();
    // Whether the job could start now, as far as running and planned jobs let it, or whether its test
    // leaves a trace.
    bool may_matter(const QueueRecord& record);
    // The nodes in service that were of use to a job when it was first asked for.
    const Nodes& useful_now(std::int32_t shape);
    // The nodes are planned for a job from then on.
    void has_planned(Second begin, const Nodes& nodes);
    // Whether the job may be planned, if it cannot start now.
    bool may_reserve(const QueueRecord& record) const;
    // Starts the job, or plans it. Returns whether it has started.
    bool place(const QueueRecord& record);
    // The slot behind the next end of a reservation, as long as the window has it.
    std::optional<Second> next_reservation_end(Second from) const;
    // When and where the job can start on these nodes as running jobs end; nothing if not up to
    // `deadline`.
    std::optional<Start> will_run(const ShapeRow& shape, const Outlook& outlook,
                                  const Nodes& allowed, const KeptCores& kept,
                                  std::optional<Second> deadline);
    // Rooms have changed: others were ended for a job, or a job has started.
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
    // Behind the last job that may matter none needs a plan: it is only there for those after it.
    WaitingJobs waiting_;
    std::size_t next_ = 0, last_;  // records: the next one, and how many up to the last that matters
    // Shapes and lengths of jobs that cannot start now. What keeps them stays for the whole cycle.
    std::set<std::pair<std::int32_t, Second>> hopeless_;
    std::unordered_map<std::int64_t, std::int64_t> arrays_;  // how many of their tasks are planned
    std::vector<bool> is_behind_;  // by record
    std::unordered_map<std::int32_t, Nodes> useful_now_;  // by shape
    Nodes last_nodes_;     // which the last one that matters could have now
    Second last_end_ = 0;  // when it would reach its limit
    NodeCount last_needed_ = 0;
    // Sets of nodes while a job is placed; they keep their memory.
    Nodes inside_, there_, allowed_, able_, offering_, mattering_;
};

}  // namespace schedlab::slurm
