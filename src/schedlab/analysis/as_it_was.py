"""The real past as a schedule, from the starts that a trace or a history recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schedlab.platform import Platform
from schedlab.sim import JobOutcome, Schedule
from schedlab.sim.eligible_times import eligible_times
from schedlab.sim.node_shares import busy_nodes
from schedlab.workload import Workload

Times = NDArray[np.int64]

AS_IT_WAS = "as it was"
"""The name of the real past in the place of a policy's name."""

_FAITHFUL = {
    "read",
    "history",
    "schedule",
    *("head", "tail", "slice", "window", "min_run", "overrun", "status", "users"),
    *("partition", "queue", "oversize", "rebase", "set_request", "cores_per_node"),
    "queues_for_partitions",
}
"""Steps of a workload after which its recorded waits are still valid."""


def as_it_was(workload: Workload, platform: Platform) -> Schedule | None:
    """Return the schedule of the jobs whose real start is known; None if there is none.

    Jobs that a transform moved or changed, as ``load`` does, have no real start either. A job that
    was withdrawn while it waited never started.

    Args:
        workload: the jobs, with the column ``wait_s``.
        platform: the machine that they ran on.
    """
    if not is_faithful(workload):
        return None
    kept = workload.take((workload["wait_s"] >= 0) | (workload["cancel_after_s"] >= 0))
    started = (kept["wait_s"] >= 0) & (kept["cancel_after_s"] < 0)
    if not started.any():
        return None
    start_s = np.where(started, kept["submit_s"] + kept["wait_s"], -1)
    end_s = np.where(started, start_s + kept["run_s"], -1)
    states = np.where(started, JobOutcome.COMPLETED, JobOutcome.CANCELLED)
    told = f"real starts of {len(kept):,} of {len(workload):,} jobs"
    schedule = Schedule(
        workload=kept,
        platform=platform,
        policy=AS_IT_WAS,
        start_s=start_s,
        end_s=end_s,
        eligible_s=kept["submit_s"],
        first_reserved_s=np.full(len(kept), -1),
        state=states.astype(np.int8),
        provenance={"recorded": told},
    )
    # A job was eligible when it started, even if the trace says that it became so later.
    eligible_s = np.minimum(eligible_times(schedule), start_s)
    return replace(schedule, eligible_s=np.where(started, eligible_s, kept["submit_s"]))


def is_faithful(workload: Workload) -> bool:
    """Return whether the jobs are still as they were recorded."""
    return all(
        step["step"] in _FAITHFUL
        and step.get("options", {}).get("cancelled") != "short"
        and "clipped" not in step
        for step in workload.provenance
    )


def as_it_was_notes(schedule: Schedule, workload: Workload) -> Iterator[str]:
    """Yield a sentence for each thing that the row of the past leaves out or counts differently."""
    unknown = len(workload) - len(schedule)
    if unknown:
        yield (
            f"{AS_IT_WAS}: no start is recorded for {unknown:,} of {len(workload):,} jobs; that "
            "row leaves them out"
        )
    if any(step.get("dropped") for step in workload.provenance):
        yield f"{AS_IT_WAS}: these jobs ran beside those that the transforms dropped"
    most, nodes = int(busy_nodes(schedule).value.max(initial=0)), schedule.platform.nodes
    if most > nodes:
        yield (
            f"{AS_IT_WAS}: up to {most:,} nodes were in use at a time, of {nodes:,}: jobs shared "
            "nodes, or the machine was larger then"
        )
