#pragma once

#include <vector>

#include "slurm/twin_job.h"

namespace schedlab::slurm {

// The reservations of nodes that slurmctld knows of now.
class SlurmCalendar {
  public:
    explicit SlurmCalendar(const Site& site) : site_(site), reserved_(site.reservations) {}

    void add(const ReservationRow& reservation) { reserved_.push_back(reservation); }
    void remove(std::int32_t name);
    bool empty() const { return reserved_.empty(); }
    // When one last begins or ends, on the history's clock; minus infinity without any.
    Moment last_change() const;
    // Nodes that the job may not use between these seconds.
    Nodes barred(const JobRow& job, Second begin, Second end) const;
    // Whether the reservation that the job asked for has begun, and not ended.
    bool lets(const JobRow& job, Second second) const;

  private:
    const Site& site_;
    std::vector<ReservationRow> reserved_;
};

}  // namespace schedlab::slurm
