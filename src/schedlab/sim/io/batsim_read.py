"""Read Batsim's results: its table of jobs, and the size of the machine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import InputError, UnknownNameError, WorkloadError
from schedlab.platform import Platform
from schedlab.sim.io.batsim_write import figures_path
from schedlab.sim.io.columns import ROW, numbers, words
from schedlab.sim.io.format import ScheduleTable
from schedlab.workload import ReadReport
from schedlab.workload.readers.source import Source

if TYPE_CHECKING:
    import polars as pl

OLDER_NAMES = {
    "jobID": "job_id",
    "requested_number_of_processors": "requested_number_of_resources",
    "allocated_processors": "allocated_resources",
}
REQUIRED = (
    "job_id",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "starting_time",
    "finish_time",
)
STATES = {
    "COMPLETED_SUCCESSFULLY": "completed",
    "COMPLETED_FAILED": "completed",
    "COMPLETED_WALLTIME_REACHED": "killed",
    "COMPLETED_KILLED": "killed",
    "REJECTED": "cancelled",
}


def read(path: Path) -> ScheduleTable:
    """Return the jobs of one simulation; times are rounded to whole seconds.

    Batsim writes jobs as they end; jobs of one submission time are put in order of their numbers,
    as in its workload. The size of the machine is in ``_schedule.csv``, if that file is beside it.
    """
    name = path.name.removesuffix(".csv")
    table, report = _table(_frame(path), name)
    described: dict[str, Any] = {"workload": {"report": asdict(report)}}
    nodes = _machines(figures_path(path))
    if nodes is not None:
        platform = Platform.homogeneous(nodes).to_dict()
        described |= {"platform": platform, "provenance": {"platform": platform}}
    return ScheduleTable(table, {} if table.is_empty() else {name: described})


def _machines(path: Path) -> int | None:
    """Return the number of machines in a ``_schedule.csv``.

    None if there is no such file, or it is not one of Batsim.
    """
    name = "nb_computing_machines"
    if not path.is_file() or name not in (frame := _csv(path)).columns or frame.is_empty():
        return None
    given = words(frame, name)[0]
    if not given.isdecimal() or int(given) < 1:
        raise InputError(f'{path}: {name} is "{given}"; must be a whole number >= 1')
    return int(given)


def _csv(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_csv(Source.load(path).text, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{path}: not a CSV table: {error}") from None


def _frame(path: Path) -> pl.DataFrame:
    frame = _csv(path)
    frame = frame.rename({old: new for old, new in OLDER_NAMES.items() if old in frame.columns})
    for name in REQUIRED:
        if name not in frame.columns:
            raise WorkloadError(f"no column {name}; needed are {', '.join(REQUIRED)}")
    return frame.with_row_index(ROW, offset=1)


def _table(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, ReadReport]:
    """Return the jobs with our names of columns, and a report of what had to be changed."""
    import polars as pl

    submit = numbers(frame, "submission_time", np.float64)
    start = numbers(frame, "starting_time", np.float64, missing=-1)
    end = numbers(frame, "finish_time", np.float64, missing=-1)
    request = numbers(frame, "requested_time", np.float64, missing=-1)
    start_s, end_s = (np.where(start < 0, -1, np.rint(times)) for times in (start, end))
    _refuse_negative(frame, end_s < start_s)
    unlimited = ~((request > 0) & (request < np.inf))
    request_s = np.maximum(np.rint(np.where(unlimited, end_s - start_s, request)), 1)
    job_id, numbered = _job_ids(frame)
    columns = {
        "policy": pl.repeat(name, len(frame), eager=True),
        "job_id": job_id,
        "submit_s": np.rint(submit),
        "start_s": start_s,
        "end_s": end_s,
        "nodes": numbers(frame, "requested_number_of_resources"),
        "request_s": request_s,
    }
    if "allocated_resources" in frame.columns:
        columns["node_ranges"] = words(frame, "allocated_resources").str.replace_all(" ", ",")
    if "final_state" in frame.columns:
        columns["state"] = _states(frame)
    fractions = np.any([times != np.rint(times) for times in (submit, start, end)], axis=0)
    repaired = {
        "time with a fraction, rounded to a whole second": fractions,
        "no requested time, run time taken": unlimited,
        "job is not a unique number, numbered as in the file": numbered,
    }
    counts = {reason: int(np.count_nonzero(which)) for reason, which in repaired.items()}
    table = pl.DataFrame(columns).with_columns(submit=submit)
    return table.sort("submit", "job_id").drop("submit"), ReadReport(len(frame), counts)


def _states(frame: pl.DataFrame) -> pl.Series:
    given = words(frame, "final_state")
    unknown = given.filter(~given.is_in(list(STATES)))
    if len(unknown):
        raise UnknownNameError("final_state", unknown[0], STATES)
    return given.replace_strict(STATES)


def _refuse_negative(frame: pl.DataFrame, negative: NDArray[np.bool_]) -> None:
    if negative.any():
        row = frame.row(int(np.argmax(negative)), named=True)
        raise WorkloadError(
            f"row {row[ROW]}: finish_time {row['finish_time']} lies before "
            f"starting_time {row['starting_time']}"
        )


def _job_ids(frame: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the jobs' own numbers.

    If some are not numbers, or not unique, all jobs get new ones.
    """
    import polars as pl

    ids = words(frame, "job_id").cast(pl.Int64, strict=False)
    numbered = ids.null_count() > 0 or ids.n_unique() < len(ids)
    fresh = np.arange(1, len(frame) + 1)
    return fresh if numbered else ids.to_numpy(), np.full(len(frame), numbered)
