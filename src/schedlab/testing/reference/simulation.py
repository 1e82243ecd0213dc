"""The machine, the queue and the clock of the reference simulator."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

from schedlab.platform import Failure, check_failures
from schedlab.sim import JobOutcome, WhyEnded
from schedlab.testing.reference.attempts import checkpointed_s
from schedlab.testing.reference.calendar import ClosedTime
from schedlab.testing.reference.corrections import correct, short
from schedlab.testing.reference.eligibility import failed_by, ready_s
from schedlab.testing.reference.events import Events
from schedlab.testing.reference.job import NEVER_S, Job
from schedlab.testing.reference.machine import Held, Machine, Vector, less, more, pools_of, without
from schedlab.testing.reference.orders import Order
from schedlab.testing.reference.predictors import ReferencePredictor
from schedlab.testing.reference.room import (
    Holder,
    all_changes_s,
    lasting,
    left_at,
    refuse_stuck,
    seen_blocks,
)


class Preempt(Protocol):
    """Starts jobs in place of others."""

    def preempt(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Preempt running jobs for some of the considered ones, and start these."""


class Backfill(Protocol):
    """Decides which waiting jobs start now."""

    def schedule(self, sim: ReferenceSimulation, considered: list[Job]) -> None:
        """Start some of the considered jobs, which come in the order of the queue."""


class ReferenceSimulation:
    """Jobs become eligible, start, end or are withdrawn, one instant after another.

    At one instant: all completions, then all changes of the machine, then the corrections of
    predictions that running jobs have outlived, then all submissions, then all withdrawals, then
    one pass of the policy. Events that these cause at the same instant (a job of no length ends as
    it starts) are handled in another round.
    """

    def __init__(
        self,
        jobs: list[Job],
        machine: Machine,
        beta: float,
        predictor: ReferencePredictor,
        failures: Iterable[Failure] = (),
        preemption: Preempt | None = None,
    ) -> None:
        self.jobs = jobs
        self.predictor = predictor
        self.machine = machine
        self.beta = beta
        self.now = 0
        self.free = machine.capacity_at(0)  # by node, then by consumable
        self.blocks = seen_blocks(machine)  # those not past
        suspends = preemption and any(job.when_preempted == "suspend" for job in jobs)
        named = machine.calendar or suspends or machine.consumables
        self.pools = None if named else pools_of((job.demand for job in jobs), machine)
        self.preemption = preemption
        self.queue: list[Job] = []
        self.running: list[Job] = []
        self.predicted: list[Job] = []  # those running that may outlive their prediction
        self.left: list[Job] = []  # ended or withdrawn since the last pass
        self.arrived: list[Job] = []  # submitted since the last pass
        self.upset = False  # something has happened since the last pass that no plan foresaw
        self.wake_up_s: int | None = None  # a pass asked for even if nothing happens
        self._arrivals = 0
        self._changes_s = all_changes_s(machine, self.blocks)  # the next one first
        self._completions = Events(jobs, machine)
        self._submissions = Events(jobs, machine)
        self._withdrawals = Events(jobs, machine)
        self._failures = list(check_failures(failures, machine.nodes))  # the next one first
        refuse_stuck(jobs, machine, self.blocks, self._changes_s)
        for job in jobs:
            self._ask(job)
            if job.cancel_after_s >= 0:
                self._withdrawals.push(job.submit_s + job.cancel_after_s, job)

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
        """Return whether enough nodes have room for the job now."""
        return self.machine.has_room(job.demand, self.room(job))

    def room(
        self,
        job: Job,
        start_s: int | None = None,
        free: list[Vector] | None = None,
        holders: list[Holder] | None = None,
    ) -> list[Vector]:
        """Return what the job may use of all that is free, now or at a later start.

        Each holder holds resources until a time. Default: the running jobs. Of a consumable, the
        job may use what stays free for its whole estimate; of a node from which it is barred,
        nothing.
        """
        free = self.free if free is None else free
        if not self._changes_s and not self.blocks:
            return free
        holders = self._holders() if holders is None else holders
        start_s = self.now if start_s is None else start_s
        end_s = self.machine.seen(start_s + job.estimate_s)
        steps_s = [time_s for time_s in self.changes_s() if time_s < end_s]
        if steps_s and self.machine.consumables:
            free = lasting(self.machine, free, start_s, steps_s, holders)
        return without(free, job.barred_from(self.blocks, start_s, end_s))

    def changes_s(self) -> list[int]:
        """Return the times of the announced changes of the machine that are still to come."""
        return [time_s for time_s in self._changes_s if time_s > self.now]

    def start(
        self, job: Job, on: list[Held] | None = None, avoid: frozenset[int] = frozenset()
    ) -> None:
        """Start the job on these nodes, or on the first with room outside ``avoid``."""
        held = on
        if held is None:
            held = self.machine.choose(job.demand, self.room(job), avoid, job=job.position)
        assert held is not None, "a job starts only where it fits"
        for each in held:
            self.free[each.node] = less(self.free[each.node], each.resources)
            assert min(self.free[each.node]) >= 0, "no resource may be used twice"
        job.held = held
        killed = self.machine.kill_at_request and job.run_s > job.request_s
        job.state = JobOutcome.KILLED if killed else JobOutcome.COMPLETED
        job.start_s = self.now
        job.end_s = self.now + (job.request_s if killed else job.run_s) - job.saved_s
        job.unbind()
        self.running.append(job)
        if short(job):
            self.predicted.append(job)
        self._completions.push(job.end_s, job)
        if job.first_start_s < 0:
            job.first_start_s = self.now
            self._ask_dependants(job)

    def preempt(self, job: Job) -> None:
        """Take the nodes of a running job for another."""
        again, suspends = job.when_preempted != "cancel", job.when_preempted == "suspend"
        self._interrupt(job, WhyEnded.SUSPENDED if suspends else WhyEnded.PREEMPTED, again)

    def plans_are_void(self) -> bool:
        """Return whether something has happened that no plan foresaw."""
        return self.upset or self.overrun()

    def overrun(self) -> bool:
        """Return whether a running job has exceeded its request."""
        return any(self.release_s(job) <= self.now for job in self.running)

    def release_s(self, job: Job) -> int:
        """Return when a running job gives its nodes back if it runs as long as expected."""
        return self.machine.seen(job.start_s + job.estimate_s)

    def expected_release(self, job: Job) -> int:
        """Return when a running job should give its nodes back.

        One that has overrun its request may end any moment: at the next second or tick.
        """
        return max(self.release_s(job), self.now + max(1, self.machine.tick))

    def _pass(self, order: Order, backfill: Backfill, depth: int | None) -> None:
        self.wake_up_s = None
        if not self.queue:
            return
        self._sort(order)
        if self.preemption is not None:
            self.preemption.preempt(self, self.queue[:depth])
            self._drop_started()
            self._sort(order)
        if self.queue:
            backfill.schedule(self, self.queue[:depth])
        self._drop_started()
        self.left.clear()
        self.arrived.clear()
        self.upset = False

    def _drop_started(self) -> None:
        self.queue = [job for job in self.queue if job.state is JobOutcome.WAITING]

    def _sort(self, order: Order) -> None:
        self.queue.sort(key=lambda job: (-job.tier, order(job, self.now), job.arrival))

    def _advance(self, until_s: float) -> bool:
        """Go to the next instant with an event; False when there is none up to this time."""
        kinds = (self._completions, self._submissions, self._withdrawals)
        times_s = [kind.heap[0][0] for kind in kinds if kind.heap]
        times_s += [self.release_s(job) for job in self.predicted if short(job)]
        times_s += self._changes_s[:1]
        if self._failures:
            times_s.append(self.machine.seen(self._failures[0].at_s))
        if self.wake_up_s is not None:
            times_s.append(self.wake_up_s)
        next_s = min(times_s, default=math.inf)
        if next_s > until_s or not times_s:
            self.now = self.now if until_s == math.inf else max(self.now, int(until_s))
            return False
        self.now = int(next_s)
        return True

    def _complete(self) -> bool:
        ended = [job for _, job in self._completions.due(self.now)]
        for job in ended:
            self._give_back(job)
            job.record(WhyEnded(job.state))
        self._end(ended)
        return bool(ended)

    def _give_back(self, job: Job) -> None:
        self.running.remove(job)
        if job in self.predicted:
            self.predicted.remove(job)
        for each in job.held:
            self.free[each.node] = more(self.free[each.node], each.resources)

    def _end(self, ended: list[Job], ended_s: int | None = None) -> None:
        """End these jobs for good: learn from them, and let others follow.

        A job that was lost while it was suspended has ended later than its last attempt.
        """
        self.left.extend(ended)
        for job in sorted(ended, key=lambda job: (job.end_s, job.position)):
            wra = job.done_s / job.request_s
            job.submitter.wrsa = self.beta * job.submitter.wrsa + (1 - self.beta) * wra
            self.predictor.learn(job, job.done_s)
            self._leave(job, job.end_s if ended_s is None else ended_s)

    def _change(self) -> bool:
        """Apply the announced changes of the machine, then the failures."""
        if not self._changes_s and not self._failures:
            return False
        due = self._changes_s[:1] == [self.now]
        if due:
            self._changes_s.pop(0)
            self.blocks = [block for block in self.blocks if block.end_s > self.now]
            left = left_at(self.machine, self.now, self._holders())
            self.free[self.machine.nodes :] = [(amount,) for amount in left]
            for block in self.blocks:
                if block.kind == "outage" and block.begin_s == self.now:
                    self._break(block.nodes, WhyEnded.OUTAGE)
        return self._fail() or due

    def _fail(self) -> bool:
        """Let nodes fail; from now on it is known when they are up again."""
        failed = [each for each in self._failures if self.machine.seen(each.at_s) == self.now]
        for each in failed:
            self._failures.remove(each)
            nodes, up_s = frozenset({each.node}), self.machine.seen(each.at_s + each.repair_s)
            if up_s > self.now:
                self.blocks.append(ClosedTime("outage", self.now, up_s, nodes))
                self._changes_s = sorted({*self._changes_s, up_s})
            self._break(nodes, WhyEnded.FAILURE)
            self.upset = True
        return bool(failed)

    def _break(self, nodes: frozenset[int], why: WhyEnded) -> None:
        """Interrupt the jobs on these nodes; those that are suspended there lose their work."""
        for job in sorted([*self.running, *self.queue], key=lambda job: job.position):
            if nodes.isdisjoint(job.node_numbers):
                continue
            if job in self.running:
                self._interrupt(job, why, job.requeue)
            else:
                self._lose(job)

    def _interrupt(self, job: Job, why: WhyEnded, again: bool) -> None:
        """End the attempt of a running job; the job waits again, or ends for good."""
        self._completions.drop(job.end_s, job)
        self._give_back(job)
        job.end_s = self.now
        job.record(why)
        if why is WhyEnded.SUSPENDED:
            job.suspend()
            self._wait_again(job, job.done_s)
        else:
            self._give_up(job, again)

    def _lose(self, job: Job) -> None:
        """Let a suspended job give up its nodes, and the work that is only there."""
        self.queue.remove(job)
        job.unbind()
        self._give_up(job, job.requeue)

    def _give_up(self, job: Job, again: bool) -> None:
        """Lose the work since the last checkpoint and wait again, or lose all and end."""
        kept_s = checkpointed_s(job.done_s, job.checkpoint_s) if again else 0
        job.attempts[-1] = job.attempts[-1]._replace(lost_s=job.done_s - kept_s)
        if again:
            job.held = []
            self._wait_again(job, kept_s)
        else:
            job.state, self.upset = JobOutcome.KILLED, True
            self._end([job], self.now)

    def _wait_again(self, job: Job, kept_s: int) -> None:
        """Let the job wait at its old place, to go on from what is kept of its work."""
        expected_s = job.estimate_s + job.saved_s
        job.saved_s, job.estimate_s = kept_s, max(1, expected_s - kept_s)
        job.state, self.upset = JobOutcome.WAITING, True
        self.queue.append(job)

    def _holders(self) -> list[Holder]:
        return [(job.held, self.expected_release(job)) for job in self.running]

    def _correct(self) -> bool:
        late = [job for job in self.predicted if short(job) and self.release_s(job) <= self.now]
        for job in late:
            while short(job) and self.release_s(job) <= self.now:
                correct(job)
        self.upset |= bool(late)
        return bool(late)

    def _submit(self) -> bool:
        due = [job for _, job in self._submissions.due(self.now)]
        ready = sorted(
            (job for job in due if job.state is JobOutcome.WAITING), key=lambda job: job.position
        )
        arrived = [job for job in ready if job.array is None or job.array.let_in(job.position)]
        for job in arrived:
            job.arrival = self._arrivals
            self._arrivals += 1
            predicted_s = math.ceil(min(max(self.predictor.predict(job), 1.0), job.request_s))
            job.estimate_s = job.predicted_s = predicted_s
        self.queue.extend(arrived)
        self.arrived.extend(arrived)
        return bool(ready)

    def _withdraw(self) -> bool:
        happened = False
        for time_s, job in self._withdrawals.due(self.now):
            if job.state is JobOutcome.WAITING and not job.attempts:
                self._cancel(job, time_s)
                happened = True
        return happened

    def _cancel(self, job: Job, time_s: int) -> None:
        """Withdraw a job that waits, or is not even eligible."""
        job.state = JobOutcome.CANCELLED
        if job.arrival < 0:
            job.eligible_s = time_s
        else:
            self.queue.remove(job)
        self.left.append(job)
        self._leave(job, time_s)

    def _leave(self, job: Job, time_s: int) -> None:
        """Let the job leave for good, and the jobs that wait for it follow."""
        job.gone_s = time_s
        following = job.array.leave(job.position) if job.array is not None else None
        if following is not None:
            self._eligible_at(self.jobs[following], time_s)
        self._ask_dependants(job)

    def _ask_dependants(self, job: Job) -> None:
        for dependant in job.dependants:
            if dependant.state is JobOutcome.WAITING and dependant.eligible_s < 0:
                if failed_by(dependant, job):
                    time_s = max(dependant.submit_s, job.gone_s or 0)
                    self._withdrawals.push(time_s, dependant)
                else:
                    self._ask(dependant)

    def _ask(self, job: Job) -> None:
        """Set when the job becomes eligible, if all its conditions are fulfilled."""
        time_s = ready_s(job)
        if time_s is not None and time_s != NEVER_S:
            self._eligible_at(job, time_s)

    def _eligible_at(self, job: Job, time_s: int) -> None:
        job.eligible_s = time_s
        self._submissions.push(time_s, job)
