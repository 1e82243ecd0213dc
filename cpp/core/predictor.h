#pragma once

#include <memory>

#include "core/job.h"

namespace schedlab {

// Predicts how long jobs run, from those that have ended. The prediction plans; the request kills.
class Predictor {
  public:
    Predictor() = default;
    virtual ~Predictor() = default;

    // Return a copy with all that it has learnt, for a fork of the simulation.
    virtual std::shared_ptr<Predictor> clone() const = 0;

    // Called before the first job of a simulation: forget any earlier one.
    virtual void begin() {}
    // In seconds, when the job becomes eligible. Beyond 1 s and the request it is cut.
    virtual double predict(const SubmittedJob& job) = 0;
    // The job has ended after `run` seconds.
    virtual void learn(const SubmittedJob& job, Time run) = 0;

  protected:
    Predictor(const Predictor&) = default;
};

}  // namespace schedlab
