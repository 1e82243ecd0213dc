"""No backfilling: the queue is served strictly in order."""

from __future__ import annotations

from schedlab.testing.reference.job import Job
from schedlab.testing.reference.simulation import ReferenceSimulation


class NoBackfill:
    """Starts jobs in queue order; the first that does not fit blocks the rest."""

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Start jobs up to the first that does not fit."""
        for job in considered:
            if not sim.fits(job):
                break
            sim.start(job)
