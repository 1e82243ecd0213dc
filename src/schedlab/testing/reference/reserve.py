"""Reservations on all clusters that a job needs, in order of submission."""

from __future__ import annotations

from schedlab.testing.reference.conservative import Conservative
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.plan import ReferencePlan
from schedlab.testing.reference.simulation import ReferenceSimulation


class ReferenceReserve(Conservative):
    """Conservative backfilling with promises for a limited number of waiting jobs.

    The others may start if they delay none of these: with one promise this is EASY.
    """

    def __init__(self, promises: int | None = None) -> None:
        """Promise this number of jobs a start; None: all."""
        super().__init__()
        self.limit = promises

    def _take_in(
        self, sim: ReferenceSimulation, plan: ReferencePlan, considered: list[Job]
    ) -> None:
        later = 0
        for job in considered:
            if job not in self.promises:
                if self.limit is not None and later >= self.limit:
                    self._backfill(sim, plan, job)
                    continue
                self._promise(plan, [job])
            later += self.promises[job].start_s > sim.now

    def _backfill(self, sim: ReferenceSimulation, plan: ReferencePlan, job: Job) -> None:
        slot = plan.earliest(job)
        if slot.start_s == sim.now:
            plan.reserve(slot)
            sim.start(job, slot.on)
