#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/node_set.h"
#include "slurm/wait_reason.h"

// A Slurm site with its history, names resolved to numbers. src/schedlab/slurm/native.py fills it.
namespace schedlab::slurm {

using Moment = double;        // in seconds, on the clock of the history
using Second = std::int64_t;  // whole, on Slurm's own clock
using JobNumber = std::int32_t;
using Nodes = NodeSet;

constexpr Moment kNeverEnds = std::numeric_limits<Moment>::infinity();
constexpr Second kForEver = Second{1} << 60;
constexpr std::int32_t kNobody = -1;

constexpr std::int32_t kMostLevels = 5;  // of tiers, where jobs are suspended by tier

// What limits and priorities count.
enum Tres { kCpu, kMemory, kNode, kGpu, kBilling, kTres };
using Amounts = std::array<double, kTres>;

struct NodeRow {
    std::int32_t cpus;
    double memory_mb;
    std::int32_t gpus;
    std::int32_t weight;
    std::int32_t leaf;  // the switch that it is connected to
    std::int32_t rows;  // how many jobs may share a core
};

struct PartitionRow {
    Nodes nodes;
    std::int32_t tier;
    bool is_up;
    std::int32_t rows;            // how many of its jobs may share a core
    std::int32_t level;           // of its tier, from 0 on, where jobs are suspended by tier
    std::vector<double> billing;  // weights of CPUs, memory, nodes and GPUs; none for CPUs alone
};

// What a limit is set to; src/schedlab/slurm/plain/limits.py says what each means.
enum class Measure { jobs, tres, job_minutes, run_minutes, minutes, wall };

// One limit, on what some jobs count together; without a counter, on one job.
struct LimitRow {
    Measure measure;
    std::int32_t counter;
    std::int32_t tres;  // kNobody for jobs and wall time
    double most;
    WaitReason reason;  // of jobs that would break it
    bool ends;  // running jobs are ended when they reach it
};

// Jobs that count together.
struct CounterRow {
    bool decays;   // what they have used is forgotten
    Amounts used;  // before the history begins, in seconds
};

// What a job asks for in a partition; many jobs ask for the same.
struct ShapeRow {
    std::int32_t partition;
    std::int32_t tasks;
    std::int32_t cpus_per_task;
    std::int32_t tasks_per_node;  // 0 where nothing was asked for
    std::int32_t min_nodes;       // 0 without the option
    std::int32_t gpus;            // of each node
    std::int32_t features;        // which set of nodes has them; kNobody for any
    bool exclusive;               // it has its nodes to itself
    double memory_mb;             // of each node, or of each CPU there
    bool memory_per_cpu;

    std::int32_t cpus() const { return tasks * cpus_per_task; }
    std::int32_t needed_nodes() const {
        const std::int32_t by_tasks =
            tasks_per_node ? (tasks + tasks_per_node - 1) / tasks_per_node : 1;
        return std::max({min_nodes, by_tasks, 1});
    }
};

// A job in one of its partitions.
struct PlaceRow {
    std::int32_t partition;
    std::int32_t shape;
    std::int32_t limits;  // which list of them, and of counters
};

enum class Dependency { after, afterok, afternotok, afterany, singleton };

// What a job waits for: all of these others.
struct ConditionRow {
    Dependency kind;
    std::vector<JobNumber> others;
    std::int64_t delay_s;
};

// A job, or a task of an array. The submission is that of its first attempt.
struct JobRow {
    std::int64_t id;
    std::int32_t task;  // kNobody for a job outside of arrays
    Moment submit;
    std::int32_t user;
    std::int32_t qos;          // kNobody for one that is not described
    std::int32_t association;  // kNobody without one
    std::vector<PlaceRow> places;
    std::int64_t limit_s;
    std::int64_t minutes;  // the same, as limits count it
    Moment run_s;
    bool is_measured;  // run_s is from its real start to its real end
    std::int64_t unseen_s;  // how long it was suspended at unknown times; it may run longer by that
    std::int64_t nice;
    Moment begin;
    std::int64_t array_limit;
    std::vector<ConditionRow> conditions;
    bool one_will_do;
    bool kill_invalid;
    std::vector<std::pair<std::int32_t, std::int64_t>> licences;
    std::int32_t reservation;  // its name; kNobody without one
    bool may_requeue;
    std::int64_t grace_s;  // how long it has to end when it is preempted
    bool ends_well;
    bool held;
    Moment recorded_start;  // if it ran when the history begins; kNeverEnds otherwise
    std::vector<NodeIndex> recorded_nodes;
    Amounts asks;
    // Weighted parts of its priority that never change.
    double partition_part, qos_part, association_part, tres_part;
    double usage_factor;
};

struct AssociationRow {
    std::int32_t parent;  // kNobody for the root
    bool is_user;
    double shares;
    bool shares_of_parent;
    double usage;  // before the history begins
};

struct ReservationRow {
    std::int32_t name;
    Second begin, end;
    Nodes nodes;
    std::int32_t cores = 0;  // of each node; 0 for whole nodes
};

// Nodes that get no jobs between these times; an outage also ends the jobs that run there.
struct ClosingRow {
    Moment begin, end;
    Nodes nodes;
    bool is_outage;
};

// An order that slurmctld gets during the history, or a failure of nodes.
struct OrderRow {
    enum class Kind {
        cancel, hold, release, requeue, nice, array_limit, suspend, unsuspend,  // jobs
        drain, down, resume,                                      // nodes
        create_reservation, delete_reservation,                   // reservations
        partition_up, partition_down, none
    };
    Moment at;
    Kind kind;
    std::vector<JobNumber> jobs = {};
    std::int64_t value = 0;  // nice, the limit, the partition, or the name of the reservation
    Nodes nodes = {};
    ReservationRow reservation = {};
};

struct Settings {
    bool backfills;  // sched/backfill
    bool assoc_limit_stop;
    std::int64_t batch_sched_delay_s, sched_interval_s, default_queue_depth, partition_job_depth;
    std::int64_t sched_max_job_start;
    std::int64_t bf_interval_s, bf_window_s, bf_window_linear_s, bf_resolution_s;
    std::int64_t bf_max_job_test, bf_max_job_user, bf_max_job_part, bf_max_job_array_resv;
    std::int64_t bf_max_job_start, bf_max_job_user_part, bf_max_job_assoc;
    std::int64_t bf_job_part_count_reserve, bf_min_prio_reserve, bf_min_age_reserve_s;
    bool bf_one_resv_per_job;
    std::int64_t preempt_reorder_count;
    bool preempt_youngest_first;
    bool is_basic;  // priority/basic
    bool is_fair_tree;
    double weight_age, weight_fairshare, weight_job_size;
    bool is_safe;            // AccountingStorageEnforce=safe
    std::int64_t forgets_s;  // after this time past use counts for no limit
    std::int64_t max_age_s, decay_half_life_s, calc_period_s, dampening;
    bool favor_small, small_relative_to_time;
    bool bills_most;    // the largest weighted resource, not the sum
    std::int64_t cpus;  // of the machine
    bool gangs;  // jobs are suspended by tier
    bool preempts, preempts_by_tier, preempt_cancels;
    std::int64_t exempt_time_s;
    std::int64_t kill_wait_s, message_timeout_s, over_time_limit_s, min_job_age_s, cred_expire_s;
    bool returns_by_itself;  // ReturnToService=2
    std::int64_t ping_s;     // how often nodes are pinged
    bool counts_memory;
    bool has_tree;
};

// The phases of slurmctld's loops, and how long things take; see src/schedlab/slurm/clocks.py.
struct Phases {
    Moment tick, backfill, limits, priority, full;
    Moment tick_period;
    std::vector<Moment> ticks, backfills, limit_tests, after_kills;  // known from a log
    Moment submit_s, run_s, complete_s, after_kill_s, per_test_s, loop_s, known_loop_s;
};

struct Site {
    Second epoch;  // time 0 of the history, on Slurm's clock
    Settings settings;
    std::vector<NodeRow> nodes;
    std::vector<PartitionRow> partitions;
    std::vector<Nodes> features;
    std::vector<ShapeRow> shapes;
    std::vector<std::vector<LimitRow>> limits;
    std::vector<std::vector<std::int32_t>> counted;  // by list of limits: for which counters jobs count
    std::vector<CounterRow> counters;
    std::vector<std::int64_t> qos_priority;
    std::vector<std::vector<std::int32_t>> qos_preempts;  // by QOS: those whose jobs it preempts
    std::vector<AssociationRow> associations;
    std::vector<std::int64_t> licences;
    std::vector<ReservationRow> reservations;
    std::vector<ClosingRow> closings;
    std::vector<JobRow> jobs;
    std::vector<OrderRow> orders;
    std::size_t users = 0;  // user numbers are below this

    const ShapeRow& shape(const PlaceRow& place) const { return shapes[place.shape]; }
    NodeCount node_count() const { return static_cast<NodeCount>(nodes.size()); }
};

}  // namespace schedlab::slurm
