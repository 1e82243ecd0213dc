#include "policies/wrsa_order.h"

namespace schedlab {

void WrsaOrder::keys(std::span<const WaitingJob> jobs, const MachineState&,
                     std::span<double> keys) const {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        keys[i] = aged(jobs[i]) - accuracy_.of(jobs[i].user);
    }
}

void WrsaOrder::job_ended(const SubmittedJob& job, Time ran) {
    accuracy_.job_ended(job.user, static_cast<double>(ran) / static_cast<double>(job.request));
}

}  // namespace schedlab
