#pragma once

#include <memory>

#include "core/job.h"

namespace schedlab {

// Predicts how long jobs run, from jobs that have ended. Plans use the prediction; a job is killed
// at its request.
class Predictor {
  public:
    Predictor() = default;
    virtual ~Predictor() = default;

    // Return a copy with all that it has learnt, for a fork of the simulation.
    virtual std::shared_ptr<Predictor> clone() const = 0;

    // Called before the first job of a simulation: forget any earlier one.
    virtual void begin() {}
    // Return the run time in seconds; called when the job becomes eligible. The result is limited
    // to the range from 1 s to the request.
    virtual double predict(const SubmittedJob& job) = 0;
    // Called when the job has ended after `run` seconds.
    virtual void learn(const SubmittedJob& job, Time run) = 0;

  protected:
    Predictor(const Predictor&) = default;
};

}  // namespace schedlab
