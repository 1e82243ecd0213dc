#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/job.h"

namespace schedlab {

// How long a job may run: shares of its request, rising, each with the weight of all up to it.
class RunDistribution {
  public:
    void clear() { at_.clear(); }
    bool empty() const { return at_.empty(); }
    // Shares must come in rising order.
    void add(double share, double weight);
    // The run time at a level from 0 to below 1, for a job that has already run for `elapsed`.
    Time at(double level, Time request, Time elapsed) const;
    double mean(Time request) const;
    // The mean of 1 / run time; run times below 10 s count as 10 s.
    double slowness(Time request) const;

  private:
    struct Step {
        double share;
        double upto;
    };
    std::vector<Step> at_;
};

// The shares of their requests that past jobs used, to say how long other jobs may run. A past job
// counts more the more similar it is in request and nodes, and the later it came. The jobs of all
// users together count as much as one identical job of the user.
class RunMemory {
  public:
    static constexpr std::size_t kOwn = 100;        // jobs of each user that count
    static constexpr std::size_t kEverybody = 200;  // jobs of all users that count
    static constexpr double kHalfLife = 10;         // this number of later jobs of the user halves a weight
    static constexpr double kExact = 0.99;          // a share that counts as the whole request
    static constexpr double kDistance = 0.35;       // in the logarithms of request and nodes

    void clear();
    void note(const SubmittedJob& job, Time ran);
    void tell(std::int64_t user, Time request, NodeCount nodes, RunDistribution& told) const;
    // Whether the last jobs of all users ran as long as their requests: nothing is left to draw.
    bool is_exact() const;

  private:
    struct Past {
        double share;
        double log_request;
        double log_nodes;
        std::int64_t number;  // the number of jobs noted before it
    };
    // The last jobs, in order of their shares.
    struct Ring {
        std::vector<Past> by_share;
        std::int64_t noted = 0;
        void add(Past past, std::size_t most);
    };
    static double likeness(const Past& past, double log_request, double log_nodes);

    std::unordered_map<std::int64_t, Ring> users_;
    Ring everybody_;
    std::vector<double> halves_;  // by age, the weight of a user's job
};

}  // namespace schedlab
