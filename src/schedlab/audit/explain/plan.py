"""The plan of a policy that reserves: which job holds how many nodes, and when."""

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

    def with_job(self, job: int, start_s: int, end_s: int, nodes: int) -> Plan:
        """Return the plan with one more job."""
        columns = (self.job, self.start_s, self.end_s, self.nodes)
        row = (job, start_s, end_s, nodes)
        return Plan(self.total_nodes, *map(np.append, columns, row))

    def without(self, job: int) -> Plan:
        """Return the plan of all other jobs."""
        others = self.job != job
        columns = (self.job, self.start_s, self.end_s, self.nodes)
        return Plan(self.total_nodes, *(column[others] for column in columns))

    def start_of(self, job: int) -> int:
        """Return when the job is planned to start."""
        return int(self.start_s[self.job == job][0])

    def earliest_start(self, begin_s: int, length_s: int, nodes: int) -> int:
        """Return the first time from which enough nodes stay free for long enough."""
        times_s, free = self._free_from(begin_s)
        lacks_s = np.append(times_s[free < nodes], np.iinfo(np.int64).max)
        next_lack_s = lacks_s[np.searchsorted(lacks_s, times_s)]
        return int(times_s[next_lack_s >= times_s + length_s][0])

    def first_lack(self, begin_s: int, end_s: int | None, nodes: int) -> tuple[int | None, int]:
        """Return the first time in the interval with fewer free nodes, and how many are free then.

        If ``end_s`` is None, the interval has no end.
        """
        times_s, free = self._free_from(begin_s)
        short = np.flatnonzero((free < nodes) & (end_s is None or times_s < end_s))
        return (int(times_s[short[0]]), int(free[short[0]])) if len(short) else (None, 0)

    def _free_from(self, begin_s: int) -> tuple[Integers, Integers]:
        """Return ``begin_s``, the later times of changes in free nodes, and the numbers free."""
        used = StepSeries.from_changes((self.start_s, self.nodes), (self.end_s, -self.nodes))
        times_s = np.append(begin_s, used.time_s[used.time_s > begin_s])
        return times_s, self.total_nodes - used.at(times_s)

    def last_starting_at(self, time_s: int) -> int:
        """Return the job planned to start at this time; of several, the one submitted last."""
        return int(self.job[self.start_s == time_s].max())


def plan_of_promises(instant: Instant) -> Plan:
    """Return the policy's promises, found by a simulation in which it keeps them.

    If from now on every job uses its whole request and no job is withdrawn, nothing moves a
    promise: each job starts at its promised time. Later jobs get what is left.
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
    """Return a plan of the running jobs, and of the waiting jobs that are already planned."""
    running, nodes = instant.view.running, instant.replay.policy.workload["nodes"]
    job = np.fromiter(planned_s, dtype=np.int64)
    start_s = np.fromiter(planned_s.values(), dtype=np.int64)
    length_s = np.array([instant.planned_s(each) for each in planned_s], dtype=np.int64)
    soonest_s = instant.time_s + max(1, instant.replay.tick_s)
    return Plan(
        instant.view.nodes,
        np.concatenate([running.job, job]),
        np.concatenate([running.start_s, start_s]),
        np.concatenate([np.maximum(running.release_s, soonest_s), start_s + length_s]),
        np.concatenate([running.nodes, nodes[job]]),
    )


def _undisturbed(instant: Instant) -> Workload:
    """Return the same workload up to now; from now on, no job ends early or is withdrawn.

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
