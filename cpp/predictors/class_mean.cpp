#include "predictors/class_mean.h"

#include <array>

namespace schedlab {
namespace {

// From the narrowest to the widest.
auto classes(const SubmittedJob& job) {
    using Class = std::tuple<std::int64_t, Time, Time>;
    return std::array{Class{job.user, job.request, job.nodes}, Class{job.user, job.request, kNone},
                      Class{job.user, kNone, kNone}};
}

}  // namespace

double ClassMean::predict(const SubmittedJob& job) {
    for (const Class& each : classes(job)) {
        const auto found = of_class_.find(each);
        if (found == of_class_.end()) continue;
        return static_cast<double>(found->second.sum) / static_cast<double>(found->second.count);
    }
    return static_cast<double>(job.request);
}

void ClassMean::learn(const SubmittedJob& job, Time run) {
    for (const Class& each : classes(job)) {
        Mean& mean = of_class_[each];
        mean.sum += run;
        ++mean.count;
    }
}

}  // namespace schedlab
