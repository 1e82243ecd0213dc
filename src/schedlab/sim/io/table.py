"""Schedules from a table of jobs, and one table from several schedules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import UnknownNameError, WorkloadError
from schedlab.platform import Platform
from schedlab.sim.io.columns import ROW, codes, numbers, words
from schedlab.sim.io.description import attempts_of_file, platform_of, workload_arguments
from schedlab.sim.io.format import ScheduleTable
from schedlab.sim.node_ranges import NodeRanges
from schedlab.sim.schedule import ORIGINAL_WAIT, JobOutcome, Schedule
from schedlab.sim.step_series import StepSeries
from schedlab.workload import COLUMNS, ReadReport, Workload
from schedlab.workload.readers.frame_records import CODED

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]

REQUIRED = ("job_id", "submit_s", "start_s", "end_s", "nodes")
_SCHEDULE_COLUMNS = {
    "policy",
    "eligible_s",
    "start_s",
    "end_s",
    "wait_s",
    "first_reserved_s",
    "estimate_s",
    "state",
    "node_ranges",
    ORIGINAL_WAIT,
}


def joint_frame(schedules: Sequence[Schedule]) -> pl.DataFrame:
    """Return all schedules in one frame; a column that only some have is empty for the others."""
    import polars as pl

    return pl.concat([schedule.frame() for schedule in schedules], how="diagonal_relaxed")


def schedules_of(table: ScheduleTable, nodes: int | None = None) -> list[Schedule]:
    """Return the schedules in a table, one per policy in the order in which they first occur."""
    import polars as pl

    frame = table.frame.with_row_index(ROW, offset=1)
    for name in REQUIRED:
        if name not in frame.columns:
            raise WorkloadError(f"no column {name}; needed are {', '.join(REQUIRED)}")
    named = pl.col("policy").cast(pl.String) if "policy" in frame.columns else pl.lit(None)
    frame = frame.with_columns(policy=named.fill_null("unknown"))
    if frame.is_empty():
        parts = dict.fromkeys(table.descriptions, frame)
    else:
        parts = {part["policy"][0]: part for part in frame.partition_by("policy")}
    return [
        _schedule(policy, part, table.descriptions.get(policy, {}), nodes)
        for policy, part in parts.items()
    ]


def _schedule(
    policy: str, frame: pl.DataFrame, description: dict[str, Any], nodes: int | None
) -> Schedule:
    frame = _in_submit_order(frame)
    start, end = numbers(frame, "start_s", missing=-1), numbers(frame, "end_s", missing=-1)
    if np.any(end < start):
        at = int(np.argmax(end < start))
        raise WorkloadError(
            f"row {frame[ROW][at]}: end {end[at]} s lies before start {start[at]} s"
        )
    workload = _workload(policy, frame, np.where(start >= 0, end - start, 0), description)
    ranges = _node_ranges(frame, bool(np.any(start >= 0)))
    if nodes is not None:
        platform = Platform.homogeneous(nodes)
    else:
        platform = platform_of(description) or _least_platform(workload, start, end, ranges)
    wall_s = description.get("wall_s")
    return Schedule(
        workload,
        platform,
        policy,
        start_s=start,
        end_s=end,
        eligible_s=_or_else(frame, "eligible_s", workload["submit_s"]),
        first_reserved_s=_or_else(frame, "first_reserved_s", np.full(len(frame), -1)),
        estimate_s=_estimates(frame),
        state=_states(frame, start, end, workload["run_s"]),
        node_ranges=ranges,
        wall_s=float("nan") if wall_s is None else wall_s,
        attempts=attempts_of_file(description),
        provenance=description.get("provenance", {}),
    )


def _in_submit_order(frame: pl.DataFrame) -> pl.DataFrame:
    submit = numbers(frame, "submit_s")
    if np.all(submit[1:] >= submit[:-1]):
        return frame
    return frame[np.argsort(submit, kind="stable")]


def _workload(
    policy: str, frame: pl.DataFrame, ran_s: Array, description: dict[str, Any]
) -> Workload:
    """Return the jobs; a request or run time that is not given is the time the job ran."""
    arguments: dict[str, Any] = {"name": policy, "report": _report(frame)}
    arguments |= workload_arguments(description)
    labels = dict(arguments.pop("labels", {}))
    columns: dict[str, Array] = {}
    for name in arguments.pop("columns", COLUMNS):
        source = ORIGINAL_WAIT if name == "wait_s" else name
        if source not in frame.columns:
            continue
        if name in CODED:
            columns[name], labels[name] = codes(frame, name, labels.get(name))
        else:
            columns[name] = numbers(frame, source, COLUMNS[name].dtype, COLUMNS[name].missing)
    columns.setdefault("run_s", ran_s)
    columns.setdefault("request_s", np.maximum(columns["run_s"], 1))
    labels = {name: names for name, names in labels.items() if names}
    return Workload(columns, labels=labels, **arguments)


def _report(frame: pl.DataFrame) -> ReadReport:
    known = {*COLUMNS, *_SCHEDULE_COLUMNS, ROW}
    left_out = {
        f'column "{name}" is not known': len(frame) for name in frame.columns if name not in known
    }
    exact = 0 if "request_s" in frame.columns else len(frame)
    repaired = {"no requested time, run time taken": exact}
    return ReadReport(records=len(frame), repaired=repaired, noticed=left_out)


def _least_platform(
    workload: Workload, start: Array, end: Array, ranges: NodeRanges | None
) -> Platform:
    """Return as many equal nodes as were ever in use at once, or as the highest number implies."""
    ran, nodes = start >= 0, workload["nodes"]
    used = StepSeries.from_changes((start[ran], nodes[ran]), (end[ran], -nodes[ran]))
    named = ranges.last.max(initial=-1) + 1 if ranges is not None else 0
    widest = nodes[ran].max(initial=1)
    return Platform.homogeneous(int(max(used.value.max(initial=1), widest, named)))


def _node_ranges(frame: pl.DataFrame, any_ran: bool) -> NodeRanges | None:
    """Return the nodes of each job; None if jobs ran and the file names the nodes of no job."""
    if "node_ranges" not in frame.columns:
        return None
    texts = words(frame, "node_ranges")
    return None if any_ran and not (texts != "").any() else NodeRanges.parse(texts)


def _or_else(frame: pl.DataFrame, name: str, otherwise: Array) -> Array:
    return numbers(frame, name, missing=-1) if name in frame.columns else otherwise


def _estimates(frame: pl.DataFrame) -> Array | None:
    """Return the predicted run times; None if the file has none for this policy."""
    if "estimate_s" not in frame.columns or frame["estimate_s"].is_null().all():
        return None
    return numbers(frame, "estimate_s", missing=-1)


def _states(frame: pl.DataFrame, start: Array, end: Array, run: Array) -> NDArray[np.int8]:
    """Return the states as written; otherwise a job that ran for less than it needed was killed."""
    if "state" not in frame.columns:
        ended = np.where(end - start < run, JobOutcome.KILLED, JobOutcome.COMPLETED)
        return np.where(start >= 0, ended, JobOutcome.CANCELLED).astype(np.int8)
    known = {state.name.lower(): state.value for state in JobOutcome}
    given = words(frame, "state")
    unknown = given.filter(~given.is_in(list(known)))
    if len(unknown):
        raise UnknownNameError("job state", unknown[0], known)
    return given.replace_strict(known).to_numpy().astype(np.int8)
