"""EASY on named nodes, as Batsim's easy_bf does it, and Slurm's backfill for its first job."""

from __future__ import annotations

from schedlab.sim import JobOutcome
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.plan import NodePlan, Slot
from schedlab.testing.reference.simulation import ReferenceSimulation


class EasyNodes:
    """The head reserves whole nodes: the lowest-numbered of those with room at its start.

    It is replanned only when a job has ended, its start has come or another job has become the
    head; if no job has ended, only newly arrived jobs are tried.
    """

    def __init__(self) -> None:
        self.head: Slot | None = None
        self.last_arrival = -1

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Plan the head if need be, then try the others or only the newly arrived jobs."""
        ended = sim.plans_are_void() or any(
            job.state is not JobOutcome.CANCELLED for job in sim.left
        )
        head = self.head
        if ended or head is None or head.start_s <= sim.now or considered[0] is not head.job:
            self._plan_head(sim, considered)
        others = [job for job in considered if job.state is JobOutcome.WAITING]
        if not ended:
            new = [job for job in others if job.arrival > self.last_arrival]
            others = sorted(new, key=lambda job: job.position)
        self.last_arrival = max(job.arrival for job in sim.queue)
        if self.head is not None:
            self._backfill(sim, self.head, others)

    def _plan_head(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        self.head = None
        for job in considered:
            if not sim.fits(job):
                self.head = NodePlan(sim).earliest(job)
                if job.first_reserved_s < 0:
                    job.first_reserved_s = self.head.start_s
                break
            sim.start(job)

    def _backfill(self, sim: ReferenceSimulation, head: Slot, others: list[Job]) -> None:
        plan = NodePlan(sim, "nodes")
        plan.reserve(head)
        for job in others:
            if job is head.job or not sim.fits(job):
                continue
            slot = plan.earliest(job)
            if slot.start_s == sim.now:
                plan.reserve(slot)
                sim.start(job, slot.on)
