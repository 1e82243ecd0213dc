"""Batsim's results: the jobs in ``_jobs.csv``, and figures of the whole in ``_schedule.csv``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.atomic import atomic_write
from schedlab.sim.schedule import JobOutcome, Schedule
from schedlab.version import __version__

if TYPE_CHECKING:
    import polars as pl

FINAL_STATES = {
    JobOutcome.WAITING: "REJECTED",
    JobOutcome.COMPLETED: "COMPLETED_SUCCESSFULLY",
    JobOutcome.KILLED: "COMPLETED_WALLTIME_REACHED",
    JobOutcome.CANCELLED: "REJECTED",
}


def figures_path(path: Path) -> Path:
    """Return ``x_schedule.csv`` for ``x_jobs.csv``."""
    prefix = path.stem.removesuffix("jobs") if path.stem.endswith("jobs") else f"{path.stem}_"
    return path.with_name(f"{prefix}schedule.csv")


def beside(path: Path) -> tuple[Path, ...]:
    """Return the path of the figures of the whole schedule."""
    return (figures_path(path),)


def write(schedules: Sequence[Schedule], path: Path) -> None:
    """Write the files that Batsim would have written had it run this schedule."""
    import polars as pl

    (schedule,) = schedules
    jobs = _jobs(schedule)
    tables = {path: jobs, figures_path(path): pl.DataFrame([_figures(schedule, jobs)])}
    for where, table in tables.items():
        with atomic_write(where) as temporary:
            table.write_csv(temporary, float_precision=6)


def _jobs(schedule: Schedule) -> pl.DataFrame:
    """Return one row per job; one that never ran has no times."""
    import polars as pl

    workload, ran = schedule.workload, schedule.started
    submit, start, end = (
        times.astype(float) for times in (workload["submit_s"], schedule.start_s, schedule.end_s)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        stretch = (end - submit) / (end - start)
    states = np.array([FINAL_STATES[state] for state in JobOutcome])
    table = pl.DataFrame(
        {
            "job_id": workload["job_id"],
            "workload_name": [workload.name] * len(workload),
            "profile": [f"delay_{run}" for run in workload["run_s"].tolist()],
            "submission_time": submit,
            "requested_number_of_resources": workload["nodes"],
            "requested_time": workload["request_s"].astype(float),
            "success": (schedule.state == JobOutcome.COMPLETED).astype(int),
            "final_state": states[schedule.state],
            "starting_time": start,
            "execution_time": end - start,
            "finish_time": end,
            "waiting_time": start - submit,
            "turnaround_time": end - submit,
            "stretch": stretch,
            "allocated_resources": schedule.named_nodes().text().str.replace_all(",", " "),
            "consumed_energy": np.full(len(workload), -1.0),
            "metadata": [""] * len(workload),
        }
    )
    times = table.columns[table.columns.index("starting_time") : -1]
    return table.with_columns(pl.when(pl.Series(ran)).then(pl.col(times)))


def _figures(schedule: Schedule, jobs: pl.DataFrame) -> dict[str, Any]:
    """Return Batsim's figures of the whole schedule, in order of their names.

    Energy and sleep are not simulated.
    """
    ran, done = schedule.started, jobs.filter(schedule.started)
    count, success = len(jobs), int(jobs["success"].sum())
    computing = float(np.dot(schedule.workload["nodes"][ran], schedule.ran_s[ran]))
    makespan = float(schedule.end_s.max(initial=0))
    wall_s = None if np.isnan(schedule.wall_s) else schedule.wall_s
    figures = {
        "batsim_version": f"schedlab {__version__}",
        "consumed_joules": 0.0,
        "makespan": makespan,
        "nb_computing_machines": schedule.platform.nodes,
        "nb_grouped_switches": 0,
        "nb_jobs": count,
        "nb_jobs_finished": len(done),
        "nb_jobs_killed": len(done) - success,
        "nb_jobs_rejected": count - len(done),
        "nb_jobs_success": success,
        "nb_machine_switches": 0,
        "scheduling_time": wall_s,
        "simulation_time": wall_s,
        "success_rate": success / count if count else None,
        "time_computing": computing,
        "time_idle": schedule.platform.nodes * makespan - computing,
    }
    for name, column in (
        ("slowdown", "stretch"),
        ("turnaround_time", "turnaround_time"),
        ("waiting_time", "waiting_time"),
    ):
        figures |= {f"max_{name}": done[column].max(), f"mean_{name}": done[column].mean()}
    for state in ("sleeping", "switching_off", "switching_on", "unavailable"):
        figures[f"time_{state}"] = 0.0
    return dict(sorted(figures.items()))
