#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/predictor.h"

namespace schedlab {

// Online ridge regression of the logarithm of the run time (in the spirit of Gaussier et al. 2015)
// on the request, the nodes and the user's recent run times, by recursive least squares. Before
// the first job it predicts the request.
class Regression : public Predictor {
  public:
    static constexpr std::size_t kFeatures = 6;

    Regression() { Regression::begin(); }
    std::shared_ptr<Predictor> clone() const override {
        return std::make_shared<Regression>(*this);
    }
    void begin() override;
    double predict(const SubmittedJob& job) override;
    void learn(const SubmittedJob& job, Time run) override;

  private:
    using Vector = std::array<double, kFeatures>;
    struct History {
        double last = 0;           // log of the user's last run time
        double recent = 0;         // logs of run times, each weighing half of the next
        double used_share = 0;     // the same of log(run / request)
        bool empty = true;
    };
    Vector features(const SubmittedJob& job) const;

    Vector weights_;
    std::array<Vector, kFeatures> inverse_;  // of the features' second moments, plus the ridge
    std::unordered_map<std::int64_t, History> of_user_;
    std::unordered_map<JobIndex, Vector> seen_;  // features of the jobs that have not ended
};

}  // namespace schedlab
