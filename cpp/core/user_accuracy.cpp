#include "core/user_accuracy.h"

#include <unordered_map>

namespace schedlab {

UserAccuracy::UserAccuracy(std::span<const std::int64_t> user_of_job) {
    std::unordered_map<std::int64_t, std::int32_t> numbers;
    user_.reserve(user_of_job.size());
    for (const std::int64_t user : user_of_job) {
        const auto next = static_cast<std::int32_t>(numbers.size());
        user_.push_back(numbers.try_emplace(user, next).first->second);
    }
    wrsa_.assign(numbers.size(), 1.0);
}

void UserAccuracy::job_ended(JobIndex job, Time ran, Time request) {
    double& wrsa = wrsa_[user_[job]];
    const double wra = static_cast<double>(ran) / static_cast<double>(request);
    wrsa = beta_ * wrsa + (1 - beta_) * wra;
}

}  // namespace schedlab
