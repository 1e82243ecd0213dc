#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/types.h"

namespace schedlab {

// How well each user's requests fit the run times: WRSA (Takizawa & Takano), 1 at first, then
// beta * WRSA + (1 - beta) * run / request with every job of the user that ends.
class UserAccuracy {
  public:
    static constexpr double kBeta = 0.3;

    explicit UserAccuracy(std::span<const std::int64_t> user_of_job);

    void add_job(std::int64_t user);
    void set_beta(double beta) { beta_ = beta; }
    // Of the job's submitter, now.
    double of(JobIndex job) const { return wrsa_[user_[job]]; }
    void job_ended(JobIndex job, Time ran, Time request);

  private:
    std::unordered_map<std::int64_t, std::int32_t> numbers_;  // of the users
    std::vector<std::int32_t> user_;  // by job: users numbered in the order in which they appear
    std::vector<double> wrsa_;        // by user
    double beta_ = kBeta;
};

}  // namespace schedlab
