"""Incentive backfilling: the oldest job first, then the others in the order of the queue.

From Takizawa and Takano: in the order of descending WRSA these are their WRSABF-AR and WRSABF-OR;
in the order of arrival, OneReserved is their EASYBF.
"""

from __future__ import annotations

from schedlab.sim import JobOutcome
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.plan import Hold, ReferencePlan, Slot, plan_of
from schedlab.testing.reference.simulation import ReferenceSimulation


class AllReserved:
    """Reserves the earliest start for every job; no job moves a decision of this pass.

    With ``frozen`` the oldest job keeps the time first reserved for it and starts exactly then,
    unless a job that exceeds its request voids it. ``reserve`` says what a reservation holds of
    shared nodes.
    """

    def __init__(self, *, frozen: bool = False, reserve: Hold = "shares") -> None:
        self.frozen = frozen
        self.reserve = reserve
        self.head: Job | None = None
        self.slot: Slot | None = None  # of the head

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Start the oldest jobs while they fit; reserve for the first that does not, and go on."""
        for left in range(len(considered), 0, -1):
            waiting = [job for job in sim.queue if job.state is JobOutcome.WAITING]
            head = min(waiting, key=lambda job: job.arrival)
            kept = self.head is head and self.slot is not None and sim.now < self.slot.start_s
            waits = kept and not sim.plans_are_void()
            if sim.fits(head) and not waits:
                sim.start(head)
                continue
            plan = plan_of(sim, self.reserve)
            if waits and self.slot is not None:
                plan.reserve(self.slot)
            else:
                self.slot = reserve(plan, head)
            self.head = head if self.frozen and not sim.overrun() else None
            if self.head is not None:
                sim.wake_up_s = self.slot.start_s
            others = [job for job in waiting if job is not head]
            self.backfill(sim, plan, others[: left - 1])
            break

    def backfill(self, sim: ReferenceSimulation, plan: ReferencePlan, others: list[Job]) -> None:
        """Start the jobs whose reservation is now."""
        for job in others:
            slot = reserve(plan, job)
            if slot.start_s == sim.now:
                sim.start(job, slot.on)


class OneReserved(AllReserved):
    """Keeps only the head's reservation: a job that starts may push the others back.

    Its estimate must be at most ``alpha`` times the length of the hole in which it starts.
    """

    def __init__(self, alpha: float, *, frozen: bool = False, reserve: Hold = "shares") -> None:
        super().__init__(frozen=frozen, reserve=reserve)
        self.alpha = alpha

    def backfill(self, sim: ReferenceSimulation, plan: ReferencePlan, others: list[Job]) -> None:
        """Start jobs that move no plan or may push others; plan the rest."""
        sacred, planned = plan.copy(), list[Job]()
        for job in others:
            slot, beside_head = plan.earliest(job), sacred.earliest(job)
            moves_nobody = slot.start_s == sim.now
            fits_beside_head = beside_head.start_s == sim.now
            hole_s = plan.free_for_s(job)
            if moves_nobody or (fits_beside_head and hole_s > 0 and self.pushes(job, hole_s)):
                own = slot if moves_nobody else beside_head
                sim.start(job, own.on)
                sacred.reserve(own)
                plan = sacred.copy()
                for other in planned:
                    reserve(plan, other)
            else:
                reserve(plan, job)
                planned.append(job)

    def pushes(self, job: Job, hole_s: float) -> bool:
        """Return whether the job may start in a hole that is too short for its estimate."""
        return job.estimate_s <= self.alpha * hole_s


def reserve(plan: ReferencePlan, job: Job) -> Slot:
    """Promise the job the earliest slot that the plan leaves."""
    slot = plan.earliest(job)
    plan.reserve(slot)
    if job.first_reserved_s < 0:
        job.first_reserved_s = slot.start_s
    return slot
