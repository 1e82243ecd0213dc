"""The moment of the first departure, reached in the simulator."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.audit.replay import Replay
from schedlab.errors import PolicyError
from schedlab.policies import ChosenPolicy, View
from schedlab.policies.orders import native_order
from schedlab.sim import JobOutcome, Schedule
from schedlab.sim.native import build_simulator
from schedlab.sim.node_demands import demands_if_any


class Instant:
    """The state just before the first departure, and the jobs about which the schedules differ.

    The jobs in ``both`` start now in both schedules, those in ``late`` only under the policy. Only
    the observed schedule starts those in ``early``, which wait under the policy, and those in
    ``absent``, which do not. A job with run time 0 ends as it starts, so another pass follows at
    the same instant.
    """

    def __init__(self, replay: Replay, time_s: int, policy: ChosenPolicy) -> None:
        self.replay = replay
        self.time_s = time_s
        self.policy = policy
        elsewhere, ours = replay.elsewhere, replay.policy.start_s == time_s
        self.both = _set(ours & ~elsewhere)
        self.late = _set(ours & elsewhere)
        theirs = (replay.observed.start_s == time_s) & ~ours & elsewhere
        waiting = _waiting(replay.policy, time_s)
        self.early, self.absent = _set(theirs & waiting), _set(theirs & ~waiting)
        self._started: list[list[int]] = [[]]

    @property
    def view(self) -> View:
        """What the policy sees."""
        return self._simulator.view

    @property
    def queue(self) -> list[int]:
        """The waiting jobs in the policy's order."""
        return [int(job) for job in self.view.queue.job]

    @property
    def queue_by_arrival(self) -> list[int]:
        """The waiting jobs, the oldest first."""
        waiting = set(self.queue)
        return [job for job in self.queue_in(native_order("fcfs")) if job in waiting]

    @property
    def depth(self) -> int | None:
        """The number of waiting jobs that the policy considers."""
        depth: int | None = self.policy.parameters.get("depth")
        return depth

    @property
    def frozen(self) -> bool:
        """Whether the policy starts jobs exactly at their first promise."""
        return self.policy.parameters.get("reservation") == "frozen"

    def job_id(self, job: int) -> int:
        """Return the number that the workload gives the job."""
        return int(self.replay.observed.workload["job_id"][job])

    def nodes(self, job: int) -> int:
        """Return the number of nodes that the job needs."""
        return int(self.replay.observed.workload["nodes"][job])

    def request_s(self, job: int) -> int:
        """Return the run time the job's user asked for."""
        return int(self.replay.observed.workload["request_s"][job])

    def asked_until_s(self, job: int) -> int:
        """Return when the job must end if it starts now."""
        return self.time_s + self.request_s(job)

    def planned_s(self, job: int) -> int:
        """Return how long a plan gives the job nodes: its request, rounded up to whole ticks."""
        tick_s = max(1, self.replay.tick_s)
        return -(-self.request_s(job) // tick_s) * tick_s

    @property
    def another_pass(self) -> bool:
        """Whether a started job ends at once, or an early or late job is not in the queue yet."""
        ran_s = self.replay.policy.ran_s
        leaves = any(ran_s[job] == 0 for job in self._started[-1])
        return leaves or not (self.early | self.late).issubset(self.queue)

    def start(self, job: int) -> None:
        """Start a job that both schedules start now."""
        self.view.start(job)
        self._started[-1].append(job)

    def next_pass(self) -> None:
        """Go on to the next pass at this instant."""
        self._started.append([])
        self._simulator.advance()
        assert self._simulator.now == self.time_s, "a job that leaves or comes now makes a pass now"

    def queue_in(self, order: _core.Order) -> list[int]:
        """Return the jobs that waited when this pass began, in another order."""
        ordering = ChosenPolicy("", _core.NoBackfill(order))
        twin = Instant(self.replay, self.time_s, ordering)
        for started in self._started[:-1]:
            for job in started:
                twin.start(job)
            twin.next_pass()
        return twin.queue

    @cached_property
    def _simulator(self) -> _core.Simulator:
        """The simulator at the first pass of this instant, after the policy's earlier starts."""
        schedule = self.replay.policy
        simulator = build_simulator(
            schedule.workload,
            schedule.platform.nodes,
            demands_if_any(schedule.workload, schedule.platform),
            tick=self.replay.tick_s,
            kill_at_request=False,
        )
        simulator.use(self.policy.core)
        brief = _set(schedule.ran_s == 0)
        due: dict[int, list[int]] = {self.time_s: []}
        for job in np.flatnonzero(schedule.started & (schedule.start_s < self.time_s)).tolist():
            due.setdefault(int(schedule.start_s[job]), []).append(job)
        times_s = sorted(due)
        while simulator.advance() and simulator.now < self.time_s:
            view = simulator.view
            _start_due(view, due.get(simulator.now, []), brief)
            view.wake_at(times_s[bisect_right(times_s, simulator.now)])
        return simulator


def _set(which: NDArray[np.bool_]) -> frozenset[int]:
    return frozenset(np.flatnonzero(which).tolist())


def _waiting(schedule: Schedule, time_s: int) -> NDArray[np.bool_]:
    """Return jobs that became eligible by then and were not withdrawn."""
    eligible = (schedule.eligible_s >= 0) & (schedule.eligible_s <= time_s)
    withdrawn = (schedule.state == JobOutcome.CANCELLED) & (schedule.left_queue_s() <= time_s)
    return np.asarray(eligible & ~withdrawn)


def _start_due(view: View, due: list[int], brief: frozenset[int]) -> None:
    """Start these jobs, those with run time 0 first, since they free nodes at the same instant.

    A job that does not fit yet, or waits for one of them to end, is left to the next pass.
    """
    for job in [job for job in due if job in brief] or list(due):
        with suppress(PolicyError):
            view.start(job)
            due.remove(job)
