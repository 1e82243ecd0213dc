#pragma once

#include <cstdint>

namespace schedlab::slurm {

// Why a job waits, as a number; src/schedlab/slurm/plain/reasons.py has the words of squeue in this
// order. The reasons of limits come behind these.
using WaitReason = std::int32_t;
enum : WaitReason {
    kNoReason, kPriority, kResources, kHeldByUser, kHeldByAdmin, kDependency, kNever,
    kArrayLimit, kBeginTime, kReservation, kPartitionDown, kLicenses, kNotAvailable, kReserved
};

// Whether the reason is dropped when the job is in the queue again; others stay until the job is
// tested.
constexpr bool goes_by_itself(WaitReason reason) {
    return reason == kDependency || reason == kNever || reason == kBeginTime ||
           reason == kReservation || reason == kPartitionDown;
}

// Whether a job with this reason gets another one when it waits for others of its partition.
constexpr bool is_unsettled(WaitReason reason) { return reason == kNoReason || reason == kResources; }

}  // namespace schedlab::slurm
