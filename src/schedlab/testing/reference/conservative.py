"""Conservative backfilling: nothing may delay any job that has been promised a start."""

from __future__ import annotations

from schedlab.sim import JobOutcome
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.plan import Hold, ReferencePlan, Slot, plan_of
from schedlab.testing.reference.simulation import ReferenceSimulation


class Conservative:
    """Promises every considered job a start; promises move earlier but never slip.

    Mu'alem and Feitelson, TPDS 2001. Only jobs that outlive their prediction, or their request
    where they are not killed, can break a promise.
    """

    def __init__(self, *, frozen: bool = False, oldest_first: bool = False) -> None:
        """With ``frozen`` promises do not move; ``oldest_first`` plans the oldest job first."""
        self.promises: dict[Job, Slot] = {}
        self.overrun = False
        self.frozen = frozen
        self.oldest_first = oldest_first

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Repair the plan, promise new jobs a start, and start the jobs that are due."""
        promised = [job for job in sim.queue if job in self.promises]
        plan = plan_of(sim)
        self.overrun = self._is_overrun(sim, promised)
        if self.overrun or sim.upset:
            self._promise(plan, promised)
        else:
            for job in promised:
                plan.reserve(self.promises[job])
            if self._has_room(sim) and not self.frozen:
                self._compress(plan, promised)
        if self.oldest_first:
            considered = [min(sim.queue, key=lambda job: job.arrival), *considered]
        self._take_in(sim, plan, considered)
        self._start_due(sim)

    def _take_in(
        self, sim: ReferenceSimulation, plan: ReferencePlan, considered: list[Job]
    ) -> None:
        for job in considered:
            if job not in self.promises:
                self._promise(plan, [job])

    def _is_overrun(self, sim: ReferenceSimulation, promised: list[Job]) -> bool:
        """Return whether the plan is void: a job overruns, or one did and promises are past."""
        past = any(self.promises[job].start_s < sim.now for job in promised)
        return sim.overrun() or (self.overrun and past)

    def _has_room(self, sim: ReferenceSimulation) -> bool:
        """Return whether a job left room in the plan: it ended early or gave up its promise."""
        return any(
            job in self.promises
            if job.state is JobOutcome.CANCELLED
            else sim.machine.seen(job.end_s) < sim.release_s(job)
            for job in sim.left
        )

    def _compress(self, plan: ReferencePlan, promised: list[Job]) -> None:
        """Move each promise, in queue order, to the earliest start the others leave.

        A promise that cannot move keeps its nodes.
        """
        for job in promised:
            plan.release(self.promises[job])
            slot = plan.earliest(job)
            if slot.start_s < self.promises[job].start_s:
                self.promises[job] = slot
            plan.reserve(self.promises[job])

    def _promise(self, plan: ReferencePlan, jobs: list[Job]) -> None:
        for job in jobs:
            self.promises[job] = plan.earliest(job)
            plan.reserve(self.promises[job])
            if job.first_reserved_s < 0:
                job.first_reserved_s = self.promises[job].start_s

    def _start_due(self, sim: ReferenceSimulation) -> None:
        """Start the jobs promised for now, and ask for a pass when the next promise is due.

        When other promises have moved, one may be due at a time at which nothing else happens.
        """
        for job in sim.queue:
            slot = self.promises.get(job)
            if slot is not None and slot.start_s == sim.now:
                sim.start(job, slot.on)
        self.promises = {
            job: slot for job, slot in self.promises.items() if job.state is JobOutcome.WAITING
        }
        if not self.overrun:
            starts_s = [slot.start_s for slot in self.promises.values()]
            sim.wake_up_s = min(starts_s, default=None)


class RebuiltConservative:
    """Plans every considered job again at each pass, in queue order; plans may slip.

    ``reserve`` says what a plan holds of shared nodes.
    """

    def __init__(self, reserve: Hold = "shares") -> None:
        self.reserve = reserve

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Plan from the running jobs alone and start what is planned for now."""
        plan = plan_of(sim, self.reserve)
        for job in considered:
            slot = plan.earliest(job)
            plan.reserve(slot)
            if job.first_reserved_s < 0:
                job.first_reserved_s = slot.start_s
            if slot.start_s == sim.now:
                sim.start(job, slot.on)
