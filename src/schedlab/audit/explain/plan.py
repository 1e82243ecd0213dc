"""The plan of a conservative policy: who holds how many nodes from when until when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.audit.explain.instant import Instant
from schedlab.sim import StepSeries, simulate
from schedlab.workload import Workload

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """Running and planned jobs on a machine, as columns."""

    total_nodes: int
    job: Integers
    start_s: Integers
    end_s: Integers
    nodes: Integers

    def without(self, job: int) -> Plan:
        """The plan of all other jobs."""
        others = self.job != job
        columns = (self.job, self.start_s, self.end_s, self.nodes)
        return Plan(self.total_nodes, *(column[others] for column in columns))

    def start_of(self, job: int) -> int:
        """When the job is planned to start."""
        return int(self.start_s[self.job == job][0])

    def first_lack(self, begin_s: int, end_s: int, nodes: int) -> tuple[int | None, int]:
        """The first time within these at which fewer nodes are free, and how many are."""
        used = StepSeries.from_changes((self.start_s, self.nodes), (self.end_s, -self.nodes))
        inside = used.time_s[(used.time_s > begin_s) & (used.time_s < end_s)]
        times_s = np.concatenate([[begin_s], inside])
        free = self.total_nodes - used.at(times_s)
        short = np.flatnonzero(free < nodes)
        return (int(times_s[short[0]]), int(free[short[0]])) if len(short) else (None, 0)

    def last_starting_at(self, time_s: int) -> int:
        """The job planned to start then; of several the one submitted last."""
        return int(self.job[self.start_s == time_s].max())


def plan_of_promises(instant: Instant) -> Plan:
    """The policy's promises, found by letting it keep them.

    If from now on every job uses its whole request and none gives up, nothing moves a promise: each
    job starts when it was promised to. Who comes later gets what is left.
    """
    replay, now = instant.replay, instant.time_s
    kept = simulate(
        _undisturbed(instant),
        replay.policy.platform,
        instant.policy.core,
        tick=replay.tick_s,
        kill_at_request=False,
    )
    known = (replay.policy.eligible_s >= 0) & (replay.policy.eligible_s <= now)
    planned = known & kept.started & (kept.end_s > now)
    return Plan(
        replay.policy.platform.nodes,
        np.flatnonzero(planned),
        kept.start_s[planned],
        kept.end_s[planned],
        kept.workload["nodes"][planned],
    )


def plan_so_far(instant: Instant, planned_s: Mapping[int, int]) -> Plan:
    """The running jobs, and the waiting ones that were planned already."""
    running, workload = instant.view.running, instant.replay.policy.workload
    job = np.fromiter(planned_s, dtype=np.int64)
    start_s = np.fromiter(planned_s.values(), dtype=np.int64)
    soonest_s = instant.time_s + max(1, instant.replay.tick_s)
    return Plan(
        instant.view.nodes,
        np.concatenate([running.job, job]),
        np.concatenate([running.start_s, start_s]),
        np.concatenate(
            [np.maximum(running.release_s, soonest_s), start_s + workload["request_s"][job]]
        ),
        np.concatenate([running.nodes, workload["nodes"][job]]),
    )


def _undisturbed(instant: Instant) -> Workload:
    """The same history up to now; from now on nobody ends early or gives up.

    A job that has exceeded its request is expected to end at the next instant.
    """
    schedule, now = instant.replay.policy, instant.time_s
    workload = schedule.workload
    soonest_s = now + max(1, instant.replay.tick_s)
    expected_s = schedule.start_s + workload["request_s"]
    overdue = schedule.started & (schedule.start_s < now) & (expected_s <= now)
    ended = schedule.started & (schedule.end_s <= now)
    rest_s = np.where(overdue, soonest_s - schedule.start_s, workload["request_s"])
    cancel_after_s = workload["cancel_after_s"]
    gone = workload["submit_s"] + cancel_after_s <= now
    return workload.replace(
        run_s=np.where(ended, workload["run_s"], rest_s),
        cancel_after_s=np.where(gone, cancel_after_s, -1),
    )
