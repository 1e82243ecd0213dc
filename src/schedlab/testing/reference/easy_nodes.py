"""EASY on named nodes, as Batsim's easy_bf does it."""

from __future__ import annotations

from schedlab.sim import JobState
from schedlab.testing.reference.easy import shadow
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.simulation import Simulation


class EasyNodes:
    """The head reserves the lowest-numbered of the nodes that will be free at its time.

    It does so anew only when a job has ended or another job has become the head; where no job has
    ended, only newcomers are tried.
    """

    def __init__(self) -> None:
        self.head: Job | None = None
        self.start_s = -1
        self.nodes = frozenset[int]()
        self.last_arrival = -1

    def schedule(self, sim: Simulation, considered: list[Job]) -> None:
        """Plan the head if need be, then try the others or only the newcomers."""
        ended = sim.plans_are_void() or any(job.state is not JobState.CANCELLED for job in sim.left)
        if ended or considered[0] is not self.head:
            self._plan_head(sim, considered)
        others = [job for job in considered if job.state is JobState.WAITING]
        if not ended:
            new = [job for job in others if job.arrival > self.last_arrival]
            others = sorted(new, key=lambda job: job.position)
        self.last_arrival = max(job.arrival for job in sim.queue)
        for job in others:
            if self.head is not None and job is not self.head:
                self._try(sim, job)

    def _plan_head(self, sim: Simulation, considered: list[Job]) -> None:
        self.head = None
        for job in considered:
            if not sim.fits(job):
                self.head = job
                break
            sim.start(job)
        if self.head is None:
            return
        self.start_s, free = shadow(sim, self.head)
        held = sim.machine.choose(self.head.demand, free)
        self.nodes = frozenset(each.node for each in held or ())
        if self.head.promised_s < 0:
            self.head.promised_s = self.start_s

    def _try(self, sim: Simulation, job: Job) -> None:
        if not sim.fits(job):
            return
        if sim.machine.seen(sim.now + job.estimate_s) <= self.start_s:
            sim.start(job)
        elif sim.machine.choose(job.demand, sim.free, self.nodes) is not None:
            sim.start(job, avoid=self.nodes)
