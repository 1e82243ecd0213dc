#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/machine.h"
#include "core/types.h"

namespace schedlab {

enum class JobState : std::int8_t { waiting = 0, completed = 1, killed = 2, cancelled = 3 };

// What is done to a running job when another takes its nodes.
enum class WhenPreempted : std::int8_t { never = 0, cancel = 1, requeue = 2, suspend = 3 };

// What a job needs: parts with no node in common, and which intervals of the calendar bar it.
struct Demand {
    std::vector<Part> parts;
    std::int32_t guest = 0;  // a group of guests; kNoGuest: nothing bars it

    bool operator==(const Demand&) const = default;
};

// A job that is added while a simulation runs.
struct NewJob {
    std::int64_t id;
    Time submit;
    NodeCount nodes;
    Time request;
    Time run;
    std::int64_t user;
    Demand demand = {};  // without parts where the machine is one pool
    std::int32_t tier = 0;
};

// All jobs, by column, in order of submission, with their true run times. Policies never see it:
// they get a View.
struct JobTable {
    std::vector<std::int64_t> id;
    std::vector<Time> submit;
    std::vector<NodeCount> nodes;
    std::vector<Time> request;
    std::vector<Time> run;
    std::vector<std::int64_t> user;
    // Empty where no job has one.
    std::vector<Time> cancel_time;  // withdrawn then if still waiting; kNone = never
    // What each job needs: a place in `demands`. Empty where the machine is one pool.
    std::vector<std::int32_t> demand;
    std::vector<Demand> demands;
    // Each is empty where all jobs have the default: 0, never saved, requeued when a node fails,
    // never preempted.
    std::vector<std::int32_t> tier;
    std::vector<Time> checkpoint;       // interval at which its work is saved; 0: never
    std::vector<std::uint8_t> requeue;  // whether it runs again when one of its nodes fails
    std::vector<WhenPreempted> when_preempted;

    std::size_t size() const { return submit.size(); }
    void add(const NewJob& job) {
        id.push_back(job.id);
        submit.push_back(job.submit);
        nodes.push_back(job.nodes);
        request.push_back(job.request);
        run.push_back(job.run);
        user.push_back(job.user);
        if (!cancel_time.empty()) cancel_time.push_back(kNone);
        if (!job.demand.parts.empty()) demand.push_back(place_of(job.demand));
        if (!tier.empty()) tier.push_back(job.tier);
        if (!checkpoint.empty()) checkpoint.push_back(0);
        if (!requeue.empty()) requeue.push_back(1);
        if (!when_preempted.empty()) when_preempted.push_back(WhenPreempted::never);
    }
    // Return the place of this demand, added if it is new.
    std::int32_t place_of(const Demand& wanted) {
        const auto known = std::find(demands.begin(), demands.end(), wanted);
        const auto place = static_cast<std::int32_t>(known - demands.begin());
        if (known == demands.end()) demands.push_back(wanted);
        return place;
    }
};

// Why an attempt of a job ended.
enum class WhyEnded : std::int8_t {
    completed = 1,
    killed = 2,
    outage = 3,
    failure = 4,
    preempted = 5,
    suspended = 6,
};

// One period in which a job held nodes until it was interrupted.
struct Attempt {
    JobIndex job;
    Time start;
    Time end;
    WhyEnded why;
    Time lost;  // work that is not kept for a later attempt
    std::size_t ranges_begin;
    std::int32_t ranges_count;
};

// What is known of a job when it is submitted.
struct SubmittedJob {
    JobIndex job;
    NodeCount nodes;
    Time request;
    Time submit;
    std::int64_t user;
};

// What an order may know of a waiting job: everything but its run time.
struct WaitingJob {
    JobIndex job;
    NodeCount nodes;
    Time request;
    Time estimate;  // the predicted run time; the request without a predictor
    Time submit;
    Time eligible;
    std::int64_t user;
    std::int64_t arrival;  // how many jobs became eligible before it
    std::int32_t demand = 0;  // what it needs, as a place in JobTable::demands
    std::int32_t tier = 0;    // jobs of a higher one come first
};

}  // namespace schedlab
