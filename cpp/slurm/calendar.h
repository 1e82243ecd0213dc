#pragma once

#include <optional>
#include <span>
#include <vector>

#include "slurm/selector.h"

namespace schedlab::slurm {

// The reservations of nodes that slurmctld knows of now.
class SlurmCalendar {
  public:
    explicit SlurmCalendar(const Site& site) : site_(site), reserved_(site.reservations) {}

    void add(const ReservationRow& reservation) { reserved_.push_back(reservation); }
    void remove(std::int32_t name);
    bool empty() const { return reserved_.empty(); }
    // The last begin or end of a reservation, on the history's clock; minus infinity without any.
    Moment last_change() const;
    // Nodes that the job may not use between these seconds.
    Nodes barred(const JobRow& job, Second begin, Second end) const;
    // Free cores of nodes that the job may not use between these seconds. Jobs that end before a
    // reservation begins may hold cores of it.
    KeptCores kept_cores(const JobRow& job, Second begin, Second end,
                         std::span<TwinJob* const> running) const;
    // The first end of a reservation that is not before this; nothing if there is none.
    std::optional<Second> next_end(Second from) const;
    // Whether the reservation that the job asked for has begun and has not ended.
    bool lets(const JobRow& job, Second second) const;

  private:
    const Site& site_;
    std::vector<ReservationRow> reserved_;
};

}  // namespace schedlab::slurm
