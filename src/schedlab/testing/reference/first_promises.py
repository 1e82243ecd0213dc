"""Conservative backfilling with promises for the first waiting jobs only."""

from __future__ import annotations

from schedlab.testing.reference.conservative import Conservative
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.plan import ReferencePlan
from schedlab.testing.reference.simulation import ReferenceSimulation


class ReferenceFirstPromises(Conservative):
    """Promises the first waiting jobs a start; others may start if they delay none of these.

    With one promise this is EASY on one cluster.
    """

    def __init__(self, promises: int) -> None:
        """Promise a start to this number of waiting jobs."""
        super().__init__()
        self.limit = promises

    def _take_in(
        self, sim: ReferenceSimulation, plan: ReferencePlan, considered: list[Job]
    ) -> None:
        later = 0
        for job in considered:
            if job not in self.promises:
                if later >= self.limit:
                    self._backfill(sim, plan, job)
                    continue
                self._promise(plan, [job])
            later += self.promises[job].start_s > sim.now

    def _backfill(self, sim: ReferenceSimulation, plan: ReferencePlan, job: Job) -> None:
        slot = plan.earliest(job)
        if slot.start_s == sim.now:
            plan.reserve(slot)
            sim.start(job, slot.on)
