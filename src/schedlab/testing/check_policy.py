"""The conformance test for policies: the rules every policy must keep, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import PolicyError
from schedlab.policies import Policy, PolicyLike, View
from schedlab.sim import JobOutcome, Schedule, simulate
from schedlab.testing.instances import small_workloads
from schedlab.testing.reference import ReferenceSchedule
from schedlab.workload import Workload


def check_policy(
    policy: PolicyLike, *, workloads: Sequence[Workload] | None = None, nodes: int | None = None
) -> None:
    """Run a policy on small workloads; raise PolicyError with a sentence if it breaks a rule.

    Args:
        policy: whatever ``simulate`` takes.
        workloads: what to run it on; by default those of ``schedlab.testing.instances``.
        nodes: the size of the machine; by default as many as the widest job needs.
    """
    for workload in small_workloads() if workloads is None else workloads:
        size = int(workload["nodes"].max(initial=1)) if nodes is None else nodes
        schedule = simulate(workload, size, policy)
        _check_starts(schedule)
        _check_nodes(schedule)
        _check_repeats(schedule, simulate(workload, size, policy))
        for now in np.unique(schedule.start_s[schedule.started]).tolist():
            for future in other_futures(schedule, now):
                _check_does_not_peek(schedule, simulate(future, size, policy), now)


def _check_starts(schedule: Schedule) -> None:
    started = schedule.started
    _require(
        schedule,
        started | (schedule.state == JobOutcome.CANCELLED),
        "every job must start in the end",
    )
    _require(
        schedule,
        ~started | (schedule.start_s >= schedule.eligible_s),
        "a job must not start before it is submitted, or before the job it depends on has ended",
    )


def _check_nodes(schedule: Schedule) -> None:
    """Follow each node through time in the order of starts."""
    kept = np.ones(len(schedule), dtype=bool)
    nodes_of = ReferenceSchedule.of(schedule).nodes_of
    busy_until: dict[int, int] = {}
    for job in np.lexsort((schedule.end_s, schedule.start_s)).tolist():
        start_s, end_s = int(schedule.start_s[job]), int(schedule.end_s[job])
        kept[job] = all(busy_until.get(node, 0) <= start_s for node in nodes_of[job])
        busy_until.update(dict.fromkeys(nodes_of[job], end_s))
    _require(schedule, kept, "no node may be used twice at the same time")


def _check_repeats(schedule: Schedule, again: Schedule) -> None:
    same = (schedule.start_s == again.start_s) & (
        schedule.first_reserved_s == again.first_reserved_s
    )
    _require(schedule, same, "two runs on the same workload must give the same schedule")


def _check_does_not_peek(schedule: Schedule, other: Schedule, now: int) -> None:
    _require(
        schedule,
        _started_by(schedule, now) == _started_by(other, now),
        f"what starts up to time {now} must not depend on run times that show only later",
    )


def _started_by(schedule: Schedule, now: int) -> NDArray[np.int64]:
    """Return start times as far as they are known at this time, else -1."""
    return np.where(schedule.start_s <= now, schedule.start_s, -1)


def _require(schedule: Schedule, kept: NDArray[np.bool_], rule: str) -> None:
    broken = np.flatnonzero(~kept)
    if len(broken):
        job_id = schedule.workload["job_id"][broken[0]]
        raise PolicyError(
            f"{rule}; policy {schedule.policy} broke this "
            f'on workload "{schedule.workload.name}" with job {job_id}'
        )


class FirstFit(Policy):
    """Starts every waiting job that fits, in order of arrival, without reservations."""

    def schedule(self, view: View) -> None:
        """Go through the queue once."""
        queue = view.queue
        for job, nodes in zip(queue.job.tolist(), queue.nodes.tolist(), strict=True):
            if nodes <= view.free_nodes:
                view.start(job)


def other_futures(schedule: Schedule, now: int) -> Iterator[Workload]:
    """Yield the workload with other run times for the jobs that are unfinished at this time.

    They all end as soon as they can, or all use their whole request.
    """
    workload = schedule.workload
    unfinished = ~schedule.started | (schedule.end_s > now)
    running = unfinished & schedule.started & (schedule.start_s <= now)
    soonest_s = np.where(running, now - schedule.start_s + 1, 0)
    for run_s in (soonest_s, workload["request_s"]):
        yield workload.replace(run_s=np.where(unfinished, run_s, workload["run_s"]))
