#pragma once

#include <map>
#include <tuple>

#include "core/predictor.h"

namespace schedlab {

// The mean run time of the most similar jobs that have ended (after Tang et al. 2010): those of
// the same user, request and nodes; else of the same user and request; else of the same user;
// else the request.
class ClassMean : public Predictor {
  public:
    std::shared_ptr<Predictor> clone() const override {
        return std::make_shared<ClassMean>(*this);
    }
    void begin() override { of_class_.clear(); }
    double predict(const SubmittedJob& job) override;
    void learn(const SubmittedJob& job, Time run) override;

  private:
    // User, request, nodes; kNone where any will do.
    using Class = std::tuple<std::int64_t, Time, Time>;
    struct Mean {
        Time sum = 0;
        Time count = 0;
    };
    std::map<Class, Mean> of_class_;
};

}  // namespace schedlab
