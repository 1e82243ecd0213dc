"""The machine, the queue and the clock of the reference simulator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Protocol

from schedlab.errors import WorkloadError
from schedlab.sim import JobState
from schedlab.testing.reference.calendar import Block, barred
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.machine import Held, Machine, Vector, less, more, pools_of, without
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

    At one instant: all completions, then all changes of the machine, then the corrections of
    predictions that running jobs have outlived, then all submissions, then all withdrawals, then
    one pass of the policy. What these cause at the same instant (a job of no length ends as it
    starts) makes another round of it.
    """

    def __init__(
        self, jobs: list[Job], machine: Machine, beta: float, predictor: Predictor
    ) -> None:
        self.jobs = jobs
        self.predictor = predictor
        self.machine = machine
        self.beta = beta
        self.now = 0
        self.free = machine.capacity_at(0)  # by node, then by consumable
        blocks = [self._seen(block) for block in machine.calendar]
        self.blocks = [each for each in blocks if each.begin_s < each.end_s]  # those not past
        self.pools = None if self.blocks else pools_of((job.demand for job in jobs), machine)
        self.queue: list[Job] = []
        self.running: list[Job] = []
        self.predicted: list[Job] = []  # those running that may outlive their prediction
        self.left: list[Job] = []  # ended or withdrawn since the last pass
        self.arrived: list[Job] = []  # submitted since the last pass
        self.corrected = False  # whether a job has outlived its prediction since the last pass
        self.wake_up_s: int | None = None  # a pass asked for even if nothing happens
        self._arrivals = 0
        self._changes_s = self._all_changes_s()  # when the machine changes, the next one first
        self._completions: list[tuple[int, int]] = []
        self._submissions: list[tuple[int, int]] = []
        self._withdrawals: list[tuple[int, int]] = []
        self._refuse_stuck()
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
            happened = [self._complete(), self._change(), self._correct()]
            happened += [self._submit(), self._withdraw()]
            if woken or any(happened):
                self._pass(order, backfill, depth)

    def fits(self, job: Job) -> bool:
        """Whether enough nodes have room for the job now."""
        return self.machine.has_room(job.demand, self.room(job))

    def room(
        self, job: Job, start_s: int | None = None, free: list[Vector] | None = None
    ) -> list[Vector]:
        """Return what the job may use of all that is free, now or at a start to come.

        Of a consumable it is what stays free for the whole estimate of the job; of a node from
        which the job is barred it is nothing.
        """
        free = self.free if free is None else free
        if not self._changes_s and not self.blocks:
            return free
        start_s = self.now if start_s is None else start_s
        end_s = self.machine.seen(start_s + job.estimate_s)
        closed = barred(self.blocks, job.position, start_s, end_s)
        return without(self._lasting(free, start_s, end_s), closed)

    def changes_s(self) -> list[int]:
        """When the machine is going to change, by all that is announced."""
        return [time_s for time_s in self._changes_s if time_s > self.now]

    def start(
        self, job: Job, on: list[Held] | None = None, avoid: frozenset[int] = frozenset()
    ) -> None:
        """Start the job on these nodes, or on the lowest-numbered with room, none to avoid."""
        held = self.machine.choose(job.demand, self.room(job), avoid) if on is None else on
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
        times_s += self._changes_s[:1]
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
            self._give_back(job)
        self._end(ended)
        return bool(ended)

    def _give_back(self, job: Job) -> None:
        self.running.remove(job)
        if job in self.predicted:
            self.predicted.remove(job)
        for each in job.held:
            self.free[each.node] = more(self.free[each.node], each.resources)

    def _end(self, ended: list[Job]) -> None:
        """These jobs have ended for good: learn from them, and let others follow."""
        self.left.extend(ended)
        for job in sorted(ended, key=lambda job: (job.end_s, job.position)):
            wra = (job.end_s - job.start_s) / job.request_s
            job.submitter.wrsa = self.beta * job.submitter.wrsa + (1 - self.beta) * wra
            self.predictor.learn(job, job.end_s - job.start_s)
            self._free_dependants(job, job.end_s)

    def _seen(self, block: Block) -> Block:
        """Return the block as it is seen: with a tick, from the next one on."""
        end_s = math.inf if block.end_s == math.inf else self.machine.seen(int(block.end_s))
        return replace(block, begin_s=self.machine.seen(block.begin_s), end_s=end_s)

    def _all_changes_s(self) -> list[int]:
        ends_s = [int(block.end_s) for block in self.blocks if block.end_s < math.inf]
        begins_s = [block.begin_s for block in self.blocks]
        return sorted({*self.machine.steps_s, *begins_s, *ends_s})

    def _refuse_stuck(self) -> None:
        """Every job must find what it needs once the machine has changed for the last time."""
        left = self.machine.capacity_at(math.inf)
        last_s = max(self._changes_s, default=0)
        for job in self.jobs if self._changes_s else ():
            closed = barred(self.blocks, job.position, last_s, last_s + 1)
            if not self.machine.has_room(job.demand, without(left, closed)):
                raise WorkloadError(
                    f"job {job.job_id} can not start any more after {last_s} s, when the machine "
                    "has changed for the last time"
                )

    def _change(self) -> bool:
        """Let intervals end, give consumables their new capacity, let outages begin."""
        if self._changes_s[:1] != [self.now]:
            return False
        self._changes_s.pop(0)
        self.blocks = [block for block in self.blocks if block.end_s > self.now]
        left = self._consumables_at(self.now)
        self.free[self.machine.nodes :] = [(amount,) for amount in left]
        for block in self.blocks:
            if block.kind == "outage" and block.begin_s == self.now:
                self._break(block.nodes)
        return True

    def _break(self, nodes: frozenset[int]) -> None:
        """End the jobs on these nodes."""
        hit = [job for job in self.running if not nodes.isdisjoint(job.node_numbers)]
        for job in sorted(hit, key=lambda job: job.position):
            self._completions.remove((self.machine.seen(job.end_s), job.position))
            heapify(self._completions)
            self._give_back(job)
            job.end_s, job.state = self.now, JobState.KILLED
            self._end([job])

    def _lasting(self, free: list[Vector], start_s: int, end_s: int) -> list[Vector]:
        """Return the same with what stays of each consumable from start to end."""
        steps_s = [time_s for time_s in self.changes_s() if time_s < end_s]
        if not steps_s or not self.machine.consumables:
            return free
        times_s = {start_s, *(time_s for time_s in steps_s if time_s > start_s)}
        moments = [self._consumables_at(time_s) for time_s in times_s]
        return free[: self.machine.nodes] + [(min(left),) for left in zip(*moments, strict=True)]

    def _consumables_at(self, time_s: int) -> list[int]:
        """Return what is free of each consumable then if running jobs end as expected."""
        left = [amount for (amount,) in self.machine.capacity_at(time_s)[self.machine.nodes :]]
        for job in self.running:
            if time_s < self.expected_release(job):
                for each in job.held:
                    if each.site_wide:
                        left[each.node - self.machine.nodes] -= each.resources[0]
        return left

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
