#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>

#include "core/predictor.h"

namespace schedlab {

// The mean run time of the three nearest jobs among the user's last hundred that have ended
// (after Galleguillos et al. 2017); the request if none has ended. The distance between two jobs is
// Euclidean, in the logarithms of request and nodes; of equally near jobs the latest count.
class Nearest : public Predictor {
  public:
    static constexpr std::size_t kNeighbours = 3;
    static constexpr std::size_t kHistory = 100;

    std::shared_ptr<Predictor> clone() const override {
        return std::make_shared<Nearest>(*this);
    }
    void begin() override { of_user_.clear(); }
    double predict(const SubmittedJob& job) override;
    void learn(const SubmittedJob& job, Time run) override;

  private:
    struct Point {
        double request;  // logarithms
        double nodes;
    };
    struct Ended {
        Point at;
        Time run;
    };
    static Point point(const SubmittedJob& job);
    static double squared_distance(const Point& one, const Point& other);

    std::unordered_map<std::int64_t, std::deque<Ended>> of_user_;  // the latest first
};

}  // namespace schedlab
