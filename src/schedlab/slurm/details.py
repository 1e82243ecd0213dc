"""Columns that only a Slurm history has: what each job asked for, and what Slurm did with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.errors import InputError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Detail:
    """One column: the name of its Polars type, and its meaning."""

    dtype: str
    meaning: str


DETAILS: dict[str, Detail] = {
    "job_id": Detail("Int64", "as in the workload, whose order the rows have"),
    "slurm_id": Detail("String", "as the scheduler prints it, such as 1063_3"),
    "raw_id": Detail("Int64", "Slurm's number of the job; that of an array's task is its own"),
    "submit_s": Detail("Float64", "submission, with its fraction where that is known"),
    "eligible_s": Detail("Int64", "when it became eligible"),
    "first_start_s": Detail("Float64", "when its first attempt started"),
    "start_s": Detail("Float64", "when its last attempt started"),
    "end_s": Detail("Float64", "when its last attempt ended"),
    "true_run_s": Detail(
        "Float64", "how long it would run if it were not stopped; inf is for ever"
    ),
    "state": Detail("String", "as Slurm says: COMPLETED, TIMEOUT, CANCELLED, ..."),
    "hosts": Detail("String", "the nodes it ran on, as a host list"),
    "started_by": Detail("String", "main or backfill"),
    "attempts": Detail("Int64", "how often it started"),
    "min_nodes": Detail("Int64", "nodes asked for with --nodes; null without the option"),
    "memory_per_cpu_kb": Detail("Float64", "memory asked for by CPU; null where it was by node"),
    "dependency": Detail("String", "as it was given, with its ? for or; ids are slurm_id"),
    "kill_invalid_dependency": Detail("Boolean", "whether --kill-on-invalid-dep was given"),
    "nice": Detail("Int64", "as asked for"),
    "held": Detail("Boolean", "whether it was submitted with --hold"),
    "reservation": Detail("String", "the reservation that it asked for"),
    "may_requeue": Detail("Boolean", "whether --requeue or --no-requeue was given, and which"),
    "exit_code": Detail("Int64", "of its script"),
    "suspended_s": Detail("Int64", "how long its last attempt was suspended"),
    "ran_before": Detail("Boolean", "whether it ran when the history begins"),
}
"""All times are in seconds on the clock of the workload; null means not known."""


def empty_details() -> pl.DataFrame:
    """Return a table without jobs."""
    import polars as pl

    return pl.DataFrame(schema={name: getattr(pl, each.dtype) for name, each in DETAILS.items()})


def checked_details(given: pl.DataFrame, jobs: int) -> pl.DataFrame:
    """Return the table with all columns of ``DETAILS`` in order.

    Raise InputError for other columns, or for another number of rows than jobs.
    """
    import polars as pl

    if len(given) != jobs:
        raise InputError(f"details of {len(given):,} jobs; the workload has {jobs:,}")
    for name in given.columns:
        if name not in DETAILS:
            raise InputError(f"details have a column {name}; known: {', '.join(DETAILS)}")
    columns = []
    for name, each in DETAILS.items():
        dtype = getattr(pl, each.dtype)
        column = pl.col(name).cast(dtype) if name in given.columns else pl.lit(None, dtype=dtype)
        columns.append(column.alias(name))
    return given.select(columns)
