#include "core/user_accuracy.h"

namespace schedlab {

UserAccuracy::UserAccuracy(std::span<const std::int64_t> user_of_job) {
    user_.reserve(user_of_job.size());
    for (const std::int64_t user : user_of_job) add_job(user);
}

void UserAccuracy::add_job(std::int64_t user) {
    const auto next = static_cast<std::int32_t>(wrsa_.size());
    const auto [at, is_new] = numbers_.try_emplace(user, next);
    if (is_new) wrsa_.push_back(1.0);
    user_.push_back(at->second);
}

void UserAccuracy::job_ended(JobIndex job, Time ran, Time request) {
    double& wrsa = wrsa_[user_[job]];
    const double wra = static_cast<double>(ran) / static_cast<double>(request);
    wrsa = beta_ * wrsa + (1 - beta_) * wra;
}

}  // namespace schedlab
