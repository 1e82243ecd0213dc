"""Jobs that are added to a simulation while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import WorkloadError
from schedlab.platform import Platform
from schedlab.sim.changes import Guests, in_core_order
from schedlab.sim.feasibility import check_times
from schedlab.sim.node_demands import (
    NodeDemands,
    Part,
    check_open_in_the_end,
    demands_if_any,
    node_demands,
)
from schedlab.workload import Workload
from schedlab.workload.eligibility import GATES
from schedlab.workload.transforms.merge import merge

_FROM_THE_START = (*GATES, "cancel_after_s", "needs")
"""Columns that only jobs given at the beginning can have."""


def check_added(parts: Sequence[Workload], jobs: Workload, now_s: int) -> None:
    """Raise WorkloadError for jobs that cannot be added now."""
    for column in _FROM_THE_START:
        if np.any(jobs[column] >= 0):
            raise WorkloadError(f"jobs added to a running simulation cannot have {column}")
    check_times(jobs)
    early = np.flatnonzero(jobs["submit_s"] < now_s)
    if len(early):
        job = early[0]
        raise WorkloadError(
            f"job {jobs['job_id'][job]}: submit_s is {jobs['submit_s'][job]}; "
            f"must be >= {now_s}, the present time"
        )
    for part in parts:
        twice = np.flatnonzero(np.isin(jobs["job_id"], part["job_id"]))
        if len(twice):
            raise WorkloadError(
                f"job {jobs['job_id'][twice[0]]} is in the simulation already; "
                "job_id must be unique"
            )
        unlike = sorted(part.labels.keys() ^ jobs.labels.keys())
        if unlike:
            raise WorkloadError(f"column {unlike[0]}: the jobs have names on one side only")


@dataclass(frozen=True)
class AddedDemand:
    """What one added job needs: parts (none if the machine is one pool), guest group and nodes."""

    parts: list[Part]
    guest: int
    nodes: int


def added_demands(
    jobs: Workload,
    platform: Platform,
    present: NodeDemands | None,
    simulator: _core.Simulator,
    tick: int,
) -> list[AddedDemand]:
    """Return what each of the added jobs needs.

    Raises WorkloadError for jobs that can never run, or that need something that this simulation
    does not count, as its jobs take whole nodes.

    Args:
        jobs: the added jobs.
        platform: the machine.
        present: what the jobs given at the beginning need.
        simulator: the simulator of the jobs given at the beginning.
        tick: the tick of the simulation.
    """
    if present is None:
        if demands_if_any(jobs, platform) is not None:
            raise _uncounted(jobs)
        return [AddedDemand([], 0, nodes) for nodes in jobs["nodes"].tolist()]
    added = node_demands(jobs, platform, whole_nodes=present.counted, gpus=present.gpus > 0)
    if added.gpus and not present.gpus:
        raise WorkloadError(
            f"job {jobs['job_id'][0]} and those added with it ask for parts of GPUs, but this "
            "simulation began with jobs that take whole ones"
        )
    if present.counted and not added.is_within(present):
        raise _uncounted(jobs)
    check_open_in_the_end(jobs, platform, added)
    rows = in_core_order(Guests.of(jobs, platform), platform, tick)
    groups = [simulator.group_of(row) for row in rows]
    return [
        AddedDemand(parts, groups[guest], nodes)
        for (parts, guest), nodes in zip(
            added.parts_in(simulator), added.nodes.tolist(), strict=True
        )
    ]


def _uncounted(jobs: Workload) -> WorkloadError:
    return WorkloadError(
        f"job {jobs['job_id'][0]} and those added with it ask for parts of nodes or for nodes of "
        "other sets, but this simulation began with jobs that take whole nodes"
    )


def with_added(parts: tuple[Workload, ...]) -> tuple[Workload, NDArray[np.int64] | slice]:
    """Return all jobs in order of submission, and the place of each in the simulator."""
    first = parts[0]
    if len(parts) == 1:
        return first, slice(None)
    merged = merge(*parts, name=first.name)
    made = Workload(
        {column: merged[column] for column in merged.columns},
        name=first.name,
        header=first.header,
        labels=merged.labels,
        report=first.report,
        provenance=[*first.provenance, {"step": "submit", "jobs": len(merged) - len(first)}],
    )
    return made, np.argsort(merged.given_order, kind="stable")


def users_of_last(parts: tuple[Workload, ...]) -> NDArray[np.int64]:
    """Return the users of the jobs added last, numbered as in the whole workload."""
    merged = merge(*parts)
    users: NDArray[np.int64] = merged["user"][merged.given_order[-len(parts[-1]) :]]
    return users
