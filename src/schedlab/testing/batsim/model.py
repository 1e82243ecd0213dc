"""Batsim's server, its submitter and its running jobs, which talk by messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count, groupby

import numpy as np

from schedlab.platform import Platform
from schedlab.sim import JobOutcome, Schedule
from schedlab.sim.feasibility import check_feasible
from schedlab.testing.batsim.easy_bf import EasyBf
from schedlab.testing.batsim.job import SECOND_US, BatsimJob, jobs_of, require_independent
from schedlab.workload import Workload

MESSAGE_US = 15
"""How long a message takes: the latency of SimGrid's loopback."""

Action = Callable[[], None]


class Batsim:
    """A server that receives one message at a time, and asks the scheduler when it is ready.

    A process waits until its message is received. The scheduler answers with one message per job
    to start, and one that it is ready again; events in the meantime go into the next question.
    """

    def __init__(self, jobs: list[BatsimJob], scheduler: EasyBf) -> None:
        self.scheduler = scheduler
        self.now_us = 0
        self._order = count()
        self._timers: list[tuple[int, int, Action]] = []
        self._mailbox: deque[tuple[Action, Action]] = deque()
        self._receiving = False
        self._ready = True
        self._submitted: list[BatsimJob] = []
        self._ended: list[BatsimJob] = []
        groups = deque(list(group) for _, group in groupby(jobs, lambda job: job.submit_us))
        if groups:
            self._at(groups[0][0].submit_us, lambda: self._submit(groups))

    def run(self) -> None:
        """Run until no event is left."""
        while self._timers:
            self.now_us, _, action = heappop(self._timers)
            action()

    def _at(self, time_us: int, action: Action) -> None:
        heappush(self._timers, (time_us, next(self._order), action))

    def _send(self, deliver: Action, then: Action) -> None:
        self._mailbox.append((deliver, then))
        self._receive_next()

    def _receive_next(self) -> None:
        if self._receiving or not self._mailbox:
            return
        deliver, then = self._mailbox.popleft()
        self._receiving = True
        self._at(self.now_us + MESSAGE_US, lambda: self._received(deliver, then))

    def _received(self, deliver: Action, then: Action) -> None:
        self._receiving = False
        deliver()
        self._receive_next()
        if self._ready and (self._submitted or self._ended):
            self._ask()
        then()

    def _submit(self, groups: deque[list[BatsimJob]]) -> None:
        """Submit the jobs of one second; then sleep for the gap, not until the next submission."""
        woke_us, jobs = self.now_us, groups.popleft()

        def sleep() -> None:
            if groups:
                gap_us = groups[0][0].submit_us - woke_us
                self._at(self.now_us + gap_us, lambda: self._submit(groups))

        self._send(lambda: self._submitted.extend(jobs), sleep)

    def _ask(self) -> None:
        self._ready = False
        submitted, self._submitted = self._submitted, []
        ended, self._ended = self._ended, []
        self._answer(deque(self.scheduler.decide(self.now_us, submitted, ended)))

    def _answer(self, jobs: deque[BatsimJob]) -> None:
        if not jobs:
            self._send(self._become_ready, lambda: None)
            return
        job = jobs.popleft()
        self._send(lambda: self._start(job), lambda: self._answer(jobs))

    def _become_ready(self) -> None:
        self._ready = True

    def _start(self, job: BatsimJob) -> None:
        job.start_us = self.now_us
        end_us = self.now_us + min(job.run_us, job.request_us)
        self._at(end_us, lambda: self._send(lambda: self._ended.append(job), lambda: None))


def batsim_easy(workload: Workload, nodes: int) -> Schedule:
    """Return the schedule of batsched's ``easy_bf`` in Batsim, its times cut to whole seconds."""
    platform = Platform.homogeneous(nodes)
    check_feasible(workload, platform.clusters[0])
    require_independent(workload)
    jobs = jobs_of(workload)
    Batsim(jobs, EasyBf(nodes)).run()
    start_s = np.array([job.start_us for job in jobs], np.int64) // SECOND_US
    return Schedule(
        workload=workload,
        platform=platform,
        policy="batsim:easy_bf",
        start_s=start_s,
        end_s=start_s + np.minimum(workload["run_s"], workload["request_s"]),
        eligible_s=workload["submit_s"],
        first_reserved_s=np.full(len(jobs), -1),
        state=np.full(len(jobs), JobOutcome.COMPLETED, np.int8),
    )
