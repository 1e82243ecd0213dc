#include "policies/wrsa_order.h"

namespace schedlab {

void WrsaOrder::keys(std::span<const WaitingJob> jobs, const MachineState&,
                     std::span<double> keys) const {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        keys[i] = aged(jobs[i]) - accuracy_.of(jobs[i].user);
    }
}

void WrsaOrder::begin() {
    accuracy_.clear();
    known_.clear();
}

void WrsaOrder::job_submitted(const WaitingJob& job) {
    const auto place = static_cast<std::size_t>(job.job);
    if (place >= known_.size()) known_.resize(place + 1);
    known_[place] = {aged(job), accuracy_.number(job.user)};
}

void WrsaOrder::job_ended(const SubmittedJob& job, Time ran) {
    accuracy_.job_ended(job.user, static_cast<double>(ran) / static_cast<double>(job.request));
}

void WrsaOrder::keys_now(std::span<const JobIndex> jobs, std::span<double> keys) const {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Known& known = known_[jobs[i]];
        keys[i] = known.aged - accuracy_.of_number(known.user);
    }
}

}  // namespace schedlab
