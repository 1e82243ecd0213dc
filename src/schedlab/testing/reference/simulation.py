"""The machine, the queue and the clock of the reference simulator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Protocol

from schedlab.sim import JobState
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Held, Machine, less, more, pools_of
from schedlab.testing.reference.orders import Order
from schedlab.testing.reference.predictors import Predictor

CORRECTIONS_S = (60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000)
"""What is added to an estimate each time that a job outlives it (Tsafrir et al. 2007)."""


def short(job: Job) -> bool:
    """Whether the job may still run longer than plans expect."""
    return job.estimate_s < job.request_s


class Backfill(Protocol):
    """Decides which waiting jobs start now."""

    def schedule(self, sim: Simulation, considered: list[Job]) -> None:
        """Start some of the considered jobs, which come in the order of the queue."""


class Simulation:
    """Jobs become eligible, start, end or are withdrawn, one instant after another.

    At one instant: all completions, then the corrections of predictions that running jobs have
    outlived, then all submissions, then all withdrawals, then one pass of the policy. What these
    cause at the same instant (a job of no length ends as it starts) makes another round of it.
    """

    def __init__(
        self, jobs: list[Job], machine: Machine, beta: float, predictor: Predictor
    ) -> None:
        self.jobs = jobs
        self.predictor = predictor
        self.machine = machine
        self.beta = beta
        self.now = 0
        self.free = list(machine.capacity)  # by node
        self.pools = pools_of((job.demand for job in jobs), machine)
        self.queue: list[Job] = []
        self.running: list[Job] = []
        self.predicted: list[Job] = []  # those running that may outlive their prediction
        self.left: list[Job] = []  # ended or withdrawn since the last pass
        self.arrived: list[Job] = []  # submitted since the last pass
        self.corrected = False  # whether a job has outlived its prediction since the last pass
        self.wake_up_s: int | None = None  # a pass asked for even if nothing happens
        self._arrivals = 0
        self._completions: list[tuple[int, int]] = []
        self._submissions: list[tuple[int, int]] = []
        self._withdrawals: list[tuple[int, int]] = []
        for job in jobs:
            if not job.depends:
                self._eligible_at(job, job.submit_s)
            if job.cancel_after_s >= 0:
                self._push(self._withdrawals, job.submit_s + job.cancel_after_s, job)

    def run(
        self, order: Order, backfill: Backfill, depth: int | None, until_s: float = math.inf
    ) -> None:
        """Play the events up to this time; call it again to go on, under another policy if need be.

        A pass looks at no more than the first ``depth`` jobs of the queue.
        """
        # Another policy may start jobs that the one before let wait.
        self.wake_up_s = self.now if self.queue else None
        while self._advance(until_s):
            woken = self.now == self.wake_up_s
            happened = [self._complete(), self._correct(), self._submit(), self._withdraw()]
            if woken or any(happened):
                self._pass(order, backfill, depth)

    def fits(self, job: Job) -> bool:
        """Whether enough nodes have room for the job now."""
        return self.machine.has_room(job.demand, self.free)

    def start(
        self, job: Job, on: list[Held] | None = None, avoid: frozenset[int] = frozenset()
    ) -> None:
        """Start the job on these nodes, or on the lowest-numbered with room, none to avoid."""
        held = self.machine.choose(job.demand, self.free, avoid) if on is None else on
        assert held is not None, "a job starts only where it fits"
        for each in held:
            self.free[each.node] = less(self.free[each.node], each.resources)
            assert min(self.free[each.node]) >= 0, "no resource may be used twice"
        job.held = held
        killed = self.machine.kill_at_request and job.run_s > job.request_s
        job.state = JobState.KILLED if killed else JobState.COMPLETED
        job.start_s = self.now
        job.end_s = self.now + (job.request_s if killed else job.run_s)
        self.running.append(job)
        if short(job):
            self.predicted.append(job)
        self._push(self._completions, job.end_s, job)
        self._free_dependants(job, job.end_s)

    def plans_are_void(self) -> bool:
        """Whether a running job has outlived what plans expected."""
        return self.corrected or self.overrun()

    def overrun(self) -> bool:
        """Whether a running job has exceeded its request."""
        return any(self.release_s(job) <= self.now for job in self.running)

    def release_s(self, job: Job) -> int:
        """When a running job gives its nodes back if it runs as long as expected."""
        return self.machine.seen(job.start_s + job.estimate_s)

    def expected_release(self, job: Job) -> int:
        """When a running job should give its nodes back.

        One that has overrun its request may end any moment: at the next second or tick.
        """
        return max(self.release_s(job), self.now + max(1, self.machine.tick))

    def _pass(self, order: Order, backfill: Backfill, depth: int | None) -> None:
        self.wake_up_s = None
        if not self.queue:
            return
        self.queue.sort(key=lambda job: (order(job, self.now), job.arrival))
        backfill.schedule(self, self.queue[:depth])
        self.queue = [job for job in self.queue if job.state is JobState.WAITING]
        self.left.clear()
        self.arrived.clear()
        self.corrected = False

    def _advance(self, until_s: float) -> bool:
        """Go to the next instant with an event; False when there is none up to this time."""
        events = (self._completions, self._submissions, self._withdrawals)
        times_s = [heap[0][0] for heap in events if heap]
        times_s += [self.release_s(job) for job in self.predicted if short(job)]
        if self.wake_up_s is not None:
            times_s.append(self.wake_up_s)
        next_s = min(times_s, default=math.inf)
        if next_s > until_s or not times_s:
            self.now = self.now if until_s == math.inf else max(self.now, int(until_s))
            return False
        self.now = int(next_s)
        return True

    def _complete(self) -> bool:
        ended = list(self._due(self._completions))
        for job in ended:
            self.running.remove(job)
            if job in self.predicted:
                self.predicted.remove(job)
            for each in job.held:
                self.free[each.node] = more(self.free[each.node], each.resources)
        self.left.extend(ended)
        for job in sorted(ended, key=lambda job: (job.end_s, job.position)):
            wra = (job.end_s - job.start_s) / job.request_s
            job.submitter.wrsa = self.beta * job.submitter.wrsa + (1 - self.beta) * wra
            self.predictor.learn(job, job.end_s - job.start_s)
        return bool(ended)

    def _correct(self) -> bool:
        late = [job for job in self.predicted if short(job) and self.release_s(job) <= self.now]
        for job in late:
            while short(job) and self.release_s(job) <= self.now:
                more_s = CORRECTIONS_S[min(job.corrections, len(CORRECTIONS_S) - 1)]
                job.estimate_s = min(job.estimate_s + more_s, job.request_s)
                job.corrections += 1
        self.corrected |= bool(late)
        return bool(late)

    def _submit(self) -> bool:
        arrived = [job for job in self._due(self._submissions) if job.state is JobState.WAITING]
        for job in arrived:
            job.arrival = self._arrivals
            self._arrivals += 1
            predicted_s = math.ceil(min(max(self.predictor.predict(job), 1.0), job.request_s))
            job.estimate_s = job.predicted_s = predicted_s
        self.queue.extend(arrived)
        self.arrived.extend(arrived)
        return bool(arrived)

    def _withdraw(self) -> bool:
        gone = [job for job in self._due(self._withdrawals) if job.state is JobState.WAITING]
        for job in gone:
            cancel_s = job.submit_s + job.cancel_after_s
            job.state = JobState.CANCELLED
            if job.arrival < 0:
                job.eligible_s = cancel_s
            else:
                self.queue.remove(job)
            self._free_dependants(job, cancel_s)
        self.left.extend(gone)
        return bool(gone)

    def _free_dependants(self, job: Job, ended_s: int) -> None:
        for dependant in job.dependants:
            think_time_s = max(0, dependant.think_time_s)
            if dependant.state is JobState.WAITING:
                self._eligible_at(dependant, max(dependant.submit_s, ended_s + think_time_s))

    def _eligible_at(self, job: Job, time_s: int) -> None:
        job.eligible_s = time_s
        self._push(self._submissions, time_s, job)

    def _push(self, heap: list[tuple[int, int]], time_s: int, job: Job) -> None:
        heappush(heap, (self.machine.seen(time_s), job.position))

    def _due(self, heap: list[tuple[int, int]]) -> Iterator[Job]:
        while heap and heap[0][0] == self.now:
            yield self.jobs[heappop(heap)[1]]
