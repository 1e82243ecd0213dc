"""The report's tables, as texts ready to print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.errors import WorkloadError
from schedlab.metrics import METRICS, Metric, by_cluster, by_resource, find_metric, table
from schedlab.metrics.summary import job_counts
from schedlab.platform.demand import demands_of
from schedlab.sim import Schedule
from schedlab.units import three_digits
from schedlab.viz.comparison import best_of
from schedlab.viz.labels import metric_label, value_label

if TYPE_CHECKING:
    import polars as pl

SUMMARY_METRICS = (
    "makespan",
    "utilisation",
    "loss_of_capacity",
    "wait",
    "wait:percentile=95",
    "wait:percentile=100",
    "slowdown",
    "bounded_slowdown",
    "bounded_slowdown:weight=user",
    "mean_queue_length",
    "fairness",
)
USER_METRICS = ("wait", "bounded_slowdown")
MAX_GROUPS = 20
_GROUPS = {"Users": "user", "Accounts": "account", "Partitions": "partition", "QOS": "qos"}
"""The titles of the tables of groups, and the columns by which jobs are grouped."""


@dataclass(frozen=True)
class TextCell:
    """A text, and whether it is the best of its kind."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class TextTable:
    """A table of texts."""

    columns: list[str]
    rows: list[list[TextCell]]


def summary_table(schedules: Sequence[Schedule], values: pl.DataFrame) -> TextTable:
    """Return a row per metric and a column per policy, the best of each row marked.

    Args:
        schedules: what happened.
        values: ``SUMMARY_METRICS`` of each, from ``compare``.
    """
    counts = [job_counts(schedule) for schedule in schedules]
    rows = [
        [TextCell(name), *(TextCell(f"{each[name]:,}") for each in counts)] for name in counts[0]
    ]
    for name in SUMMARY_METRICS:
        metric = find_metric(name)
        label = f"{metric_label(name)} {'↓' if metric.smaller_is_better else '↑'}"
        rows.append([TextCell(label), *_compared(metric, values[name].to_list())])
    rows.append(
        [TextCell("simulated in"), *(TextCell(_seconds(each.wall_s)) for each in schedules)]
    )
    return TextTable(["", *(schedule.policy for schedule in schedules)], rows)


def group_tables(schedules: Sequence[Schedule]) -> list[tuple[str, TextTable]]:
    """Return tables of how users, accounts, partitions and QOS fared, each with its title."""
    tables = {title: _group_table(schedules, by) for title, by in _GROUPS.items()}
    return [(title, found) for title, found in tables.items() if found is not None]


def _group_table(schedules: Sequence[Schedule], by: str) -> TextTable | None:
    """Return one row for each of the groups with the most work; None if there is only one group."""
    found = [
        [table(schedule, metric, by, percentiles=()) for schedule in schedules]
        for metric in USER_METRICS
    ]
    groups = found[0][0].sort("node_seconds", descending=True)
    if len(groups) < 2:
        return None
    means = [[dict(zip(t[by], t["mean"], strict=True)) for t in tables] for tables in found]
    rows = []
    for group, jobs, node_seconds, _ in groups.rows()[:MAX_GROUPS]:
        row = [TextCell(str(group)), TextCell(f"{jobs:,}"), TextCell(f"{node_seconds / 3600:,.0f}")]
        for metric, by_schedule in zip(USER_METRICS, means, strict=True):
            values = [mean_of.get(group, math.nan) for mean_of in by_schedule]
            row += _compared(METRICS[metric], values)
        rows.append(row)
    columns = [
        f"{metric_label(metric)}: {schedule.policy}"
        for metric in USER_METRICS
        for schedule in schedules
    ]
    return TextTable([by, "jobs", "node-hours", *columns], rows)


def resource_table(schedules: Sequence[Schedule]) -> TextTable | None:
    """Return how cores, memory and GPUs were used and stranded.

    None where jobs have whole nodes.
    """
    try:
        if any(demands_of(each.workload, each.platform).whole.all() for each in schedules):
            return None
        found = [by_resource(schedule) for schedule in schedules]
    except WorkloadError:  # simulated on whole nodes, jobs may ask for more than a node has
        return None
    rows = []
    for place, resource in enumerate(found[0]["resource"].to_list()):
        for column, metric in (("utilisation", "utilisation"), ("stranded", "stranded_cores")):
            values = [each[column][place] for each in found]
            rows.append([TextCell(f"{resource}: {column}"), *_compared(METRICS[metric], values)])
    return TextTable(["", *(schedule.policy for schedule in schedules)], rows)


def cluster_table(schedules: Sequence[Schedule]) -> TextTable | None:
    """Return how clusters were used, and jobs by the clusters they need.

    None if jobs name no cluster.
    """
    if any("needs" not in schedule.workload for schedule in schedules):
        return None
    rows = []
    for place, cluster in enumerate(schedules[0].platform.clusters):
        found = [by_cluster(schedule).row(place, named=True) for schedule in schedules]
        for metric, column in (("utilisation", "utilisation"), ("wait", "mean_wait_s")):
            values = [math.nan if row[column] is None else row[column] for row in found]
            label = f"{cluster.name}: {metric_label(metric)}"
            rows.append([TextCell(label), *_compared(METRICS[metric], values)])
    for metric in USER_METRICS:
        tables = [table(each, metric, "clusters", percentiles=()) for each in schedules]
        for place, needed in enumerate(tables[0]["clusters"].to_list()):
            label = f"{metric_label(metric)} of jobs that need {needed} cluster"
            values = [each["mean"][place] for each in tables]
            plural = "s" if needed > 1 else ""
            rows.append([TextCell(f"{label}{plural}"), *_compared(METRICS[metric], values)])
    return TextTable(["", *(schedule.policy for schedule in schedules)], rows)


def _compared(metric: Metric, values: Sequence[float]) -> list[TextCell]:
    best = best_of(values, metric)
    differ = any(value != best for value in values)
    return [TextCell(value_label(value, metric), differ and value == best) for value in values]


def _seconds(wall_s: float) -> str:
    return "–" if math.isnan(wall_s) else f"{three_digits(wall_s)} s"
