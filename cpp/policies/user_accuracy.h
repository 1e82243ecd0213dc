#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace schedlab {

// How well each user's requests fit the run times: WRSA (Takizawa & Takano), 1 at first, then
// beta * WRSA + (1 - beta) * run / request with every job of the user that ends.
class UserAccuracy {
  public:
    static constexpr double kBeta = 0.3;

    explicit UserAccuracy(double beta) : beta_(beta) {}

    void clear() {
        numbers_.clear();
        wrsa_.clear();
    }
    // The user's number, in the order in which users appear.
    std::int32_t number(std::int64_t user) {
        const auto next = static_cast<std::int32_t>(wrsa_.size());
        const auto [at, is_new] = numbers_.try_emplace(user, next);
        if (is_new) wrsa_.push_back(1.0);
        return at->second;
    }
    std::span<const double> by_number() const { return wrsa_; }
    double of(std::int64_t user) const {
        const auto found = numbers_.find(user);
        return found == numbers_.end() ? 1.0 : wrsa_[found->second];
    }
    // Takes in that a job of the user has ended; `wra` is its run time / request.
    void job_ended(std::int64_t user, double wra) {
        double& wrsa = wrsa_[number(user)];
        wrsa = beta_ * wrsa + (1 - beta_) * wra;
    }

  private:
    std::unordered_map<std::int64_t, std::int32_t> numbers_;
    std::vector<double> wrsa_;  // by number
    double beta_;
};

}  // namespace schedlab
