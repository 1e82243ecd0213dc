"""EASY with the mistakes of simulators in use, and schedules changed by hand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from schedlab.policies import Policy, PolicyLike, View
from schedlab.sim import Schedule
from schedlab.workload import Workload


class AlmostEasy(Policy):
    """Starts jobs in order, then asks a rule about each candidate behind the head."""

    def schedule(self, view: View) -> None:
        """Run one pass."""
        queue = view.queue
        waiting = list(zip(queue.job.tolist(), queue.nodes.tolist(), strict=True))
        while waiting and waiting[0][1] <= view.free_nodes:
            view.start(waiting.pop(0)[0])
        if not waiting:
            return
        head_nodes = waiting[0][1]
        requests_s = dict(zip(queue.job.tolist(), queue.request_s.tolist(), strict=True))
        for job, nodes in waiting[1:]:
            shadow_s, extra = shadow(view, head_nodes)
            in_time = self.ends_s(view, job, requests_s[job]) <= shadow_s
            if nodes <= view.free_nodes and self.may_start(in_time, nodes <= extra):
                view.start(job)

    def ends_s(self, view: View, job: int, request_s: int) -> int:
        """Return when the candidate is expected to end."""
        return view.now + request_s

    @abstractmethod
    def may_start(self, in_time: bool, on_extra_nodes: bool) -> bool:
        """Return whether a candidate that fits may start."""


class IgnoresReservation(AlmostEasy):
    """Starts every candidate that fits, as AccaSim does."""

    def may_start(self, in_time: bool, on_extra_nodes: bool) -> bool:
        """Return True."""
        return True


class NoExtraNodes(AlmostEasy):
    """Starts only candidates that end before the head's promise, as RLScheduler does."""

    def may_start(self, in_time: bool, on_extra_nodes: bool) -> bool:
        """Return whether the candidate ends in time."""
        return in_time


class TestsActualRunTime(AlmostEasy):
    """Tests candidates with their actual run time, as CQSim does."""

    __test__ = False

    def __init__(self, run_s: NDArray[np.int64]) -> None:
        super().__init__()
        self.run_s = run_s

    def ends_s(self, view: View, job: int, request_s: int) -> int:
        """Return the end by the actual run time, which no real scheduler knows."""
        return view.now + int(min(self.run_s[job], request_s))

    def may_start(self, in_time: bool, on_extra_nodes: bool) -> bool:
        """Apply the rule of the textbook."""
        return in_time or on_extra_nodes


def shadow(view: View, nodes: int) -> tuple[int, int]:
    """Return when this many nodes will be free, and how many more are free then."""
    running = view.running
    free, shadow_s = view.free_nodes, view.now
    for place in np.argsort(running.release_s, kind="stable").tolist():
        release_s = int(running.release_s[place])
        if free >= nodes and release_s > shadow_s:
            break
        free, shadow_s = free + int(running.nodes[place]), release_s
    return shadow_s, free - nodes


MakePolicy = Callable[[Workload], PolicyLike]
Moved = Callable[..., Schedule]


@pytest.fixture(scope="session")
def wrong_easys() -> dict[str, MakePolicy]:
    """Makers of wrong EASY policies for a workload, by what is wrong with them."""
    return {
        "ignores the reservation": lambda workload: IgnoresReservation(),
        "tests the actual run time": lambda workload: TestsActualRunTime(workload["run_s"]),
        "sorts candidates by time limit": lambda workload: "easy:backfill=sjf",
        "has no extra nodes": lambda workload: NoExtraNodes(),
        "does not backfill": lambda workload: "fcfs",
    }


@pytest.fixture(scope="session")
def moved() -> Moved:
    """``moved(schedule, {job_id: start_s})`` gives jobs other starts, and forgets all nodes."""

    def move(schedule: Schedule, starts_s: dict[int, int]) -> Schedule:
        start_s, job_id = schedule.start_s.copy(), schedule.workload["job_id"]
        for job, time_s in starts_s.items():
            start_s[job_id == job] = time_s
        end_s = np.where(start_s >= 0, start_s + schedule.ran_s, -1)
        return replace(schedule, start_s=start_s, end_s=end_s, node_ranges=None)

    return move
