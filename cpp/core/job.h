#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/machine.h"
#include "core/types.h"

namespace schedlab {

enum class JobState : std::int8_t { waiting = 0, completed = 1, killed = 2, cancelled = 3 };

// A job that is added while a simulation runs.
struct NewJob {
    std::int64_t id;
    Time submit;
    NodeCount nodes;
    Time request;
    Time run;
    std::int64_t user;
    std::vector<Part> parts = {};  // none where the machine is one pool
};

// The truth about all jobs, by column, in order of submission. Policies never see it: they get a View.
struct JobTable {
    std::vector<std::int64_t> id;
    std::vector<Time> submit;
    std::vector<NodeCount> nodes;
    std::vector<Time> request;
    std::vector<Time> run;
    std::vector<std::int64_t> user;
    // Empty where no job has one.
    std::vector<JobIndex> depends_on;   // kNoJob where there is none
    std::vector<Time> think_time;       // delay after the end of `depends_on`
    std::vector<Time> cancel_time;      // withdrawn then if still waiting; kNone = never
    // What each job needs: a place in `demands`. Empty where the machine is one pool.
    std::vector<std::int32_t> demand;
    std::vector<std::vector<Part>> demands;

    std::size_t size() const { return submit.size(); }
    void add(const NewJob& job) {
        id.push_back(job.id);
        submit.push_back(job.submit);
        nodes.push_back(job.nodes);
        request.push_back(job.request);
        run.push_back(job.run);
        user.push_back(job.user);
        if (!depends_on.empty()) depends_on.push_back(kNoJob);
        if (!think_time.empty()) think_time.push_back(0);
        if (!cancel_time.empty()) cancel_time.push_back(kNone);
        if (!job.parts.empty()) demand.push_back(place_of(job.parts));
    }

  private:
    std::int32_t place_of(const std::vector<Part>& parts) {
        const auto known = std::find(demands.begin(), demands.end(), parts);
        const auto place = static_cast<std::int32_t>(known - demands.begin());
        if (known == demands.end()) demands.push_back(parts);
        return place;
    }
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
    Time estimate;  // the predicted run time; the request where nobody predicts
    Time submit;
    Time eligible;
    std::int64_t user;
    std::int64_t arrival;  // how many jobs became eligible before it
    std::int32_t demand = 0;  // what it needs, as a place in JobTable::demands
};

}  // namespace schedlab
