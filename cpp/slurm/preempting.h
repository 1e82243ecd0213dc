#pragma once

#include <optional>
#include <span>
#include <vector>

#include "slurm/selector.h"

namespace schedlab::slurm {

// Which running jobs make room for a waiting one: preempt/qos and preempt/partition_prio.
class Preempting {
  public:
    Preempting(const Site& site, const Selector& selector);

    bool is_on() const { return site_.settings.preempts; }
    // Whether a job that may preempt another always outranks it.
    bool follows_rank() const { return follows_rank_; }
    // Whether there can be a job that this job may preempt.
    bool may_preempt_any(const JobRow& job, const PlaceRow& place) const;
    // Whether the rule lets the job, in this partition, take the place of the other.
    bool may_preempt(const JobRow& job, const PlaceRow& place, const JobRow& other) const;

    struct Room {
        std::vector<NodeIndex> nodes;    // that the job gets
        std::vector<TwinJob*> victims;
    };
    // The victims, and the nodes that the job gets; nothing if even preempting all is not enough.
    std::optional<Room> victims(const TwinJob& job, const PlaceRow& place, const Rooms& rooms,
                                const Nodes& allowed, std::span<TwinJob* const> running,
                                Moment now) const;

  private:
    void rank(std::vector<TwinJob*>& others) const;
    // Removes one job after another until the waiting job fits.
    std::optional<Room> trial(const ShapeRow& shape, Rooms rooms,
                              const Nodes& allowed, const std::vector<TwinJob*>& ranked) const;

    const Site& site_;
    const Selector& selector_;
    std::int32_t lowest_tier_;  // of all partitions
    bool follows_rank_;
};

}  // namespace schedlab::slurm
