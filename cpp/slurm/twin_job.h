#pragma once

#include <limits>
#include <vector>

#include "slurm/site.h"

namespace schedlab::slurm {

enum class Stage { future, pending, running, done };
enum class Scheduler { main, backfill };
enum class Ending { none, completed, failed, timeout, cancelled, preempted, requeued, node_fail };

// What a job holds of one node.
struct NodeShare {
    NodeIndex node;
    std::int32_t cpus;
    double memory_mb;
    std::int32_t gpus;
    std::int32_t level = 0;  // of the partition's tier
};

// One run of a job.
struct JobRun {
    Moment start, end;
    std::vector<NodeIndex> nodes;
    Scheduler by;
    Ending how;
};

// The state of a job.
struct TwinJob {
    JobNumber number;
    const JobRow* row;
    Stage stage = Stage::future;
    bool held = false;
    WaitReason reason = kNoReason;  // why it waits
    bool is_bound = false;   // it has conditions, or a reservation
    bool in_queue = false;   // when the queue was built last
    std::int64_t priority = 0;
    std::int64_t nice = 0;
    std::int64_t array_limit = 0;
    std::int64_t came = 0;   // its number among the jobs that came
    Moment submit = 0;       // when it came, or came back
    Moment accrue = 0;       // its age counts from here
    Moment begin = 0;        // it starts no earlier
    Moment preempted = -std::numeric_limits<Moment>::infinity();  // when it last ended others
    bool is_marked = false;  // it must make room, and has its grace time
    std::int64_t planned_cpus = 0;  // what backfill's last plan would give it; 0 for no plan
    bool has_started = false;
    Moment start = 0;
    bool is_suspended = false;
    bool is_shadowed = false;  // by jobs of a higher tier, which have its CPUs
    Moment turned = 0;       // when it last started, was suspended or resumed
    Second ran = 0;          // before it was last suspended
    Moment suspended = 0;    // how long, before it was last resumed
    Scheduler started_by = Scheduler::main;
    Second limit_end = 0;    // when it reaches its limit
    Moment completed = kNeverEnds;  // when its nodes had answered
    Ending how = Ending::none;
    std::int32_t place = 0;  // which of its partitions it runs in
    std::vector<NodeShare> shares = {};
    Amounts holds = {};  // the sum over its nodes
    std::vector<JobRun> runs = {};
};

// A pending job in one of its partitions.
struct QueueRecord {
    TwinJob* job;
    const PlaceRow* place;
};

}  // namespace schedlab::slurm
