"""Chrome-trace JSON: schedules to look at in Perfetto or chrome://tracing."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.atomic import atomic_write
from schedlab.sim.node_naming import name_nodes
from schedlab.sim.node_shares import busy_nodes, shared_demands
from schedlab.sim.schedule import Schedule
from schedlab.sim.step_series import StepSeries

if TYPE_CHECKING:
    import polars as pl

MAX_NODE_ROWS = 1024
"""On larger machines, and where jobs share nodes, the rows are lanes: as few as there are ranges in
use at once."""

_CHUNK = 100_000
_MICROSECONDS = 1_000_000


def write(schedules: Sequence[Schedule], path: Path) -> None:
    """Write one process per policy, one row per node, one slice per range of nodes of a job."""
    with atomic_write(path) as temporary:
        packed = path.suffix.lower() == ".gz"
        with gzip.open(temporary, "wb", 5) if packed else temporary.open("wb") as out:
            separator = b'{"displayTimeUnit":"ms","traceEvents":[\n'
            for events in _events(schedules):
                out.write(separator + _json_lines(events))
                separator = b",\n"
            out.write(b"\n]}\n")


def _events(schedules: Sequence[Schedule]) -> Iterator[pl.DataFrame]:
    """Yield the events of all schedules in pieces small enough to hold as text."""
    for process, schedule in enumerate(schedules):
        for events in (
            _process_name(schedule),
            _counter("used nodes", busy_nodes(schedule)),
            _counter("waiting jobs", schedule.queue_length()),
            _slices(schedule),
        ):
            for piece in events.iter_slices(_CHUNK):
                yield _with(piece, pid=process)


def _json_lines(events: pl.DataFrame) -> bytes:
    lines = BytesIO()
    events.write_ndjson(lines)
    return lines.getvalue().rstrip(b"\n").replace(b"\n", b",\n")


def _with(frame: pl.DataFrame, **constants: str | int) -> pl.DataFrame:
    import polars as pl

    return frame.with_columns(**{name: pl.lit(value) for name, value in constants.items()})


def _process_name(schedule: Schedule) -> pl.DataFrame:
    import polars as pl

    return _with(pl.DataFrame({"args": [{"name": schedule.policy}]}), name="process_name", ph="M")


def _counter(name: str, series: StepSeries) -> pl.DataFrame:
    import polars as pl

    values = pl.DataFrame({"value": series.value}).to_struct()
    return _with(
        pl.DataFrame({"ts": series.time_s * _MICROSECONDS, "args": values}), name=name, ph="C"
    )


def _slices(schedule: Schedule) -> pl.DataFrame:
    """Return a complete event ("X") for each range of nodes of each job that ran."""
    import polars as pl

    ranges = schedule.named_nodes()
    job = ranges.job()
    start, ran = schedule.start_s[job], schedule.ran_s[job]
    about = (
        replace(schedule, node_ranges=None)
        .frame()
        .select("user", "nodes", "request_s", "wait_s", "state")
    )
    columns: dict[str, Any] = {
        "name": pl.Series(schedule.workload["job_id"][job]).cast(pl.String),
        "tid": _rows(schedule, start, start + ran, ranges.first),
        "ts": start * _MICROSECONDS,
        "dur": ran * _MICROSECONDS,
        "args": about[job].with_columns(node_range=ranges.each().text()).to_struct(),
    }
    return _with(pl.DataFrame(columns), ph="X")


def _rows(
    schedule: Schedule, start_s: NDArray[Any], end_s: NDArray[Any], first: NDArray[Any]
) -> NDArray[Any]:
    """Return the row of each range: its first node, or the lowest lane free at its start."""
    if schedule.platform.nodes <= MAX_NODE_ROWS and shared_demands(schedule) is None:
        return first
    return name_nodes(start_s, end_s, np.ones_like(start_s), len(start_s)).first
