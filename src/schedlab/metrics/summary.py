"""A schedule in a dozen numbers, and several schedules side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.errors import ParameterError
from schedlab.lookup import is_import_path
from schedlab.metrics.groupings import group_column, groups_of
from schedlab.metrics.metrics import METRICS, find_job_metric, find_metric
from schedlab.sim import JobOutcome, Schedule
from schedlab.sim.schedule import require_schedules

if TYPE_CHECKING:
    import polars as pl


def summary(schedule: Schedule) -> dict[str, str | int | float | None]:
    """Return the most important numbers; None for a number that is not defined or not known.

    ``jobs`` counts all; the means leave out the ``cancelled`` ones, which never ran.
    """
    wait = find_job_metric("wait")
    numbers = {
        "makespan_s": METRICS["makespan"].value(schedule),
        "utilisation": METRICS["utilisation"].value(schedule),
        "mean_wait_s": wait.mean(schedule),
        "p95_wait_s": wait.percentile(schedule, 95),
        "max_wait_s": wait.percentile(schedule, 100),
        "mean_slowdown": METRICS["slowdown"].value(schedule),
        "mean_bounded_slowdown": METRICS["bounded_slowdown"].value(schedule),
        "mean_queue_length": METRICS["mean_queue_length"].value(schedule),
        "wall_s": schedule.wall_s,
        "jobs_per_s": len(schedule) / schedule.wall_s if schedule.wall_s > 0 else math.nan,
    }
    return {
        "policy": schedule.policy,
        **job_counts(schedule),
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
    }


def job_counts(schedule: Schedule) -> dict[str, int]:
    """Count all jobs, the jobs killed at their request and the jobs that never ran."""
    return {
        "jobs": len(schedule),
        "killed": int(np.count_nonzero(schedule.state == JobOutcome.KILLED)),
        "cancelled": int(np.count_nonzero(~schedule.started)),
    }


def compare(
    schedules: Sequence[Schedule], metrics: Sequence[str], *, by: str | None = None
) -> pl.DataFrame:
    """Return one row per schedule: its policy and these metrics, named as for ``find_metric``.

    With ``by``, a name in ``GROUPINGS``, one row per schedule and group of jobs; each metric must
    then have a value for each job.
    """
    import polars as pl

    schedules = require_schedules(schedules)
    if isinstance(metrics, str):
        raise ParameterError(f'metrics is a text; must be a list, as in ["{metrics}"]')
    if by is not None:
        tables = [_by_group(schedule, metrics, by) for schedule in schedules]
        return pl.concat(tables, how="vertical_relaxed")
    found = {name: find_metric(name) for name in metrics}
    values = {
        name: [metric.value(schedule) for schedule in schedules] for name, metric in found.items()
    }
    return pl.DataFrame({"policy": [schedule.policy for schedule in schedules], **values})


def _by_group(schedule: Schedule, metrics: Sequence[str], by: str) -> pl.DataFrame:
    import polars as pl

    for name in metrics:
        find_job_metric(name if is_import_path(name) else name.partition(":")[0])
    found = {name: find_metric(name) for name in metrics}
    group, names = groups_of(schedule, by)
    order = np.argsort(group, kind="stable")
    present, first = np.unique(group[order], return_index=True)
    anywhere: Any = replace(schedule, node_ranges=None)  # without nodes, positions serve as a mask
    parts = [anywhere.take(jobs) for jobs in np.split(order, first[1:])] if len(present) else []
    return pl.DataFrame(
        {
            "policy": [schedule.policy] * len(parts),
            by: group_column(by, [names[place] for place in present]),
            "jobs": [len(part) for part in parts],
            **{name: [each.value(part) for part in parts] for name, each in found.items()},
        }
    )
