#pragma once

#include <unordered_map>

#include "core/predictor.h"

namespace schedlab {

// The mean of the user's last two run times (Tsafrir, Etsion & Feitelson 2007); the last one if
// there is no other, the request if there is none.
class LastTwo : public Predictor {
  public:
    std::shared_ptr<Predictor> clone() const override {
        return std::make_shared<LastTwo>(*this);
    }
    void begin() override { of_user_.clear(); }
    double predict(const SubmittedJob& job) override;
    void learn(const SubmittedJob& job, Time run) override;

  private:
    struct History {
        Time last = kNone;
        Time before = kNone;
    };
    std::unordered_map<std::int64_t, History> of_user_;
};

}  // namespace schedlab
