#pragma once

#include <memory>
#include <span>
#include <utility>

#include "core/job.h"
#include "core/job_chains.h"
#include "core/release_list.h"

namespace schedlab {

// When the keys of waiting jobs change. `by_group`: when jobs end, and then by the same amount for
// all jobs of a group.
enum class KeysChange { never, by_group, always };

// Predicts when jobs will have room, where the number of free nodes is not enough to know.
class RoomTimes {
  public:
    virtual ~RoomTimes() = default;
    // How long until the waiting job will fit, if the running jobs end as expected.
    virtual Time time_until_room(JobIndex job) const = 0;
};

// What an order may know of the machine, and the time.
struct MachineState {
    Time now;
    NodeCount nodes;
    NodeCount free;
    Time soonest_release;
    const ReleaseList* releases;
    const RoomTimes* rooms;  // null where the machine is one pool

    // How long until the job will fit, if the running jobs end as expected.
    Time time_until_room(const WaitingJob& job) const {
        if (rooms) return rooms->time_until_room(job.job);
        return job.nodes <= free ? 0
                                 : releases->shadow(job.nodes, free, soonest_release).time - now;
    }
};

// The order in which waiting jobs are looked at: smaller keys first, ties by arrival.
class Order {
  public:
    Order() = default;
    virtual ~Order() = default;

    // Return a copy with all that it has learnt; null where it learns nothing and can be shared.
    virtual std::shared_ptr<Order> clone() const { return nullptr; }

    // Keys are computed when the job arrives, and again before each pass where they may change.
    virtual KeysChange keys_change() const { return KeysChange::never; }
    virtual void keys(std::span<const WaitingJob> jobs, const MachineState& machine,
                      std::span<double> keys) const = 0;

    // For orders that learn. `begin` is called before the first job of a simulation: forget any
    // earlier one.
    virtual bool learns() const { return false; }
    virtual void begin() {}
    virtual void job_ended(const SubmittedJob&, Time /*ran*/) {}
    // For orders whose keys change by group: the job's own part of its key, and what is subtracted
    // from it now, by group.
    virtual SplitKey split_key(const WaitingJob&) { return {0, 0}; }
    virtual std::span<const double> group_offsets() const { return {}; }

  protected:
    Order(const Order&) = default;
};

// An order as a member of a policy: a copy of the policy gets one of its own.
class OwnOrder {
  public:
    OwnOrder(std::shared_ptr<Order> order) : order_(std::move(order)) {}
    OwnOrder(const OwnOrder& other) : order_(other.copied()) {}
    OwnOrder& operator=(const OwnOrder&) = delete;

    explicit operator bool() const { return order_ != nullptr; }
    Order* operator->() const { return order_.get(); }
    const std::shared_ptr<Order>& pointer() const { return order_; }

  private:
    std::shared_ptr<Order> copied() const {
        auto own = order_ ? order_->clone() : nullptr;
        return own ? own : order_;
    }

    std::shared_ptr<Order> order_;
};

}  // namespace schedlab
