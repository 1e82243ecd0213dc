"""Metrics as tables: by group of jobs, and over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics.capacity import node_seconds
from schedlab.metrics.groupings import group_column, groups_of
from schedlab.metrics.metric import JobMetric, Values
from schedlab.metrics.metrics import find_job_metric
from schedlab.metrics.weights import job_weights
from schedlab.sim import Schedule
from schedlab.sim.node_shares import busy_nodes
from schedlab.sim.schedule import require_schedules
from schedlab.units import require_whole

if TYPE_CHECKING:
    import polars as pl


def table(
    schedule: Schedule,
    metric: str | JobMetric,
    by: str = "user",
    *,
    weight: str = "job",
    percentiles: Sequence[float] = (50, 95, 100),
) -> pl.DataFrame:
    """Return one row per group of jobs, such as a user or a size class, with mean and percentiles.

    Args:
        schedule: what happened.
        metric: a metric with a value for each job.
        by: a name in ``GROUPINGS``.
        weight: a name in ``WEIGHTS``.
        percentiles: each gives a column, ``p95`` for 95.
    """
    import polars as pl

    require_schedules([schedule])
    metric = metric if isinstance(metric, JobMetric) else find_job_metric(metric)
    values, weights = metric.of_jobs(schedule), job_weights(schedule, weight)
    group, names = groups_of(schedule, by)
    counted = np.flatnonzero(~np.isnan(values) & (weights > 0))
    order = counted[np.lexsort((values[counted], group[counted]))]
    present, first, jobs = np.unique(group[order], return_index=True, return_counts=True)
    first = first.astype(np.int64)
    values, weights = values[order], weights[order]
    columns: dict[str, Any] = {
        by: group_column(by, [names[place] for place in present]),
        "jobs": jobs,
        "node_seconds": _sums(node_seconds(schedule)[order], first),
        "mean": _sums(values * weights, first) / _sums(weights, first),
    }
    for percent in percentiles:
        columns[f"p{percent:g}"] = _percentile(values, weights, first, percent)
    return pl.DataFrame(columns)


def over_time(schedule: Schedule, period_s: int = 86400) -> pl.DataFrame:
    """Return utilisation and queue length per period, from the first submission to the last end."""
    import polars as pl

    require_schedules([schedule])
    period_s = require_whole("period_s", period_s, 1)
    first, last = schedule.horizon_s()
    edges = np.arange(first, last + period_s, period_s)
    if last == first:
        edges = edges[:1]
    queue = schedule.queue_length()
    used = busy_nodes(schedule).bin_means(edges)
    return pl.DataFrame(
        {
            "from_s": edges[:-1],
            "utilisation": used / schedule.platform.nodes,
            "mean_queue_length": queue.bin_means(edges),
            "max_queue_length": queue.bin_extremes(edges)[1],
        }
    )


def _sums(values: Values, first: NDArray[np.int64]) -> Values:
    """Return the sum of each group, given where each begins."""
    return np.add.reduceat(values, first)


def _percentile(
    values: Values, weights: Values, first: NDArray[np.int64], percent: float
) -> Values:
    """Return the smallest value of each group that covers this percentage of its weight."""
    upto = np.cumsum(weights)
    last = np.append(first, len(values))[1:] - 1
    before = upto[first] - weights[first]
    place = np.searchsorted(upto, before + percent * (upto[last] - before) / 100)
    found: Values = values[np.clip(place, first, last)]
    return found
