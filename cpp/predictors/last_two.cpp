#include "predictors/last_two.h"

namespace schedlab {

double LastTwo::predict(const SubmittedJob& job) {
    const auto found = of_user_.find(job.user);
    if (found == of_user_.end()) return static_cast<double>(job.request);
    const auto [last, before] = found->second;
    return before == kNone ? static_cast<double>(last) : static_cast<double>(last + before) / 2;
}

void LastTwo::learn(const SubmittedJob& job, Time run) {
    History& history = of_user_[job.user];
    history = {run, history.last};
}

}  // namespace schedlab
