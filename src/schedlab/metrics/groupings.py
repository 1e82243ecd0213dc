"""Ways to divide jobs into groups: by user, partition, size, run time, time of submission."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import UnknownNameError
from schedlab.sim import Schedule
from schedlab.workload.labels import has_names, label_of
from schedlab.workload.needs import parse_needs

if TYPE_CHECKING:
    import polars as pl

Groups = tuple[NDArray[np.int64], Sequence[Any]]
"""The group of each job as a position, and the names of the groups in their order."""

_RUN_TIME_BOUNDS_S = (60, 600, 3600, 6 * 3600, 24 * 3600)
_RUN_TIMES = ("under 1 min", "1-10 min", "10-60 min", "1-6 h", "6-24 h", "1 d and over")
_SIZES = ("1", "2", *(f"{(1 << exponent - 1) + 1}-{1 << exponent}" for exponent in range(2, 64)))
_DAY_S = 86400

ORDERED = {"size": _SIZES, "run_time": _RUN_TIMES}
"""Groupings whose names have an order that sorting them as text would lose."""


def _by_label(column: str) -> Callable[[Schedule], Groups]:
    """Return a function that groups by a coded column of the workload."""

    def groups(schedule: Schedule) -> Groups:
        workload = schedule.workload
        codes, group = np.unique(workload[column], return_inverse=True)
        if not has_names(workload, column):
            return group, codes.tolist()
        return group, [label_of(workload, column, code) or "" for code in codes.tolist()]

    return groups


def _by_size(schedule: Schedule) -> Groups:
    """Group by powers of two: 1, 2, 3-4, 5-8, ... nodes."""
    power = np.ceil(np.log2(schedule.workload["nodes"])).astype(np.int64)
    return power, _SIZES[: power.max(initial=0) + 1]


def _by_run_time(schedule: Schedule) -> Groups:
    """Group by how long the job ran."""
    return np.searchsorted(_RUN_TIME_BOUNDS_S, schedule.worked_s, side="right"), _RUN_TIMES


def _by_clusters(schedule: Schedule) -> Groups:
    """Group by how many clusters the job needs at the same time; 0 if it names none."""
    labels = schedule.workload.labels.get("needs", ())
    counts = np.array([*(len(parse_needs(label)) for label in labels), 0], dtype=np.int64)
    clusters = counts[np.minimum(schedule.workload["needs"], len(labels))]
    return clusters, range(int(clusters.max(initial=0)) + 1)


def _by_period(period_s: int) -> Callable[[Schedule], Groups]:
    """Return a function that groups by periods of submission, counted from the first submission."""

    def groups(schedule: Schedule) -> Groups:
        submit = schedule.workload["submit_s"]
        period = (submit - schedule.horizon_s()[0]) // period_s
        return period, range(int(period.max(initial=-1)) + 1)

    return groups


GROUPINGS: dict[str, Callable[[Schedule], Groups]] = {
    "user": _by_label("user"),
    "group": _by_label("group"),
    "account": _by_label("account"),
    "qos": _by_label("qos"),
    "partition": _by_label("partition"),
    "queue": _by_label("queue"),
    "size": _by_size,
    "run_time": _by_run_time,
    "clusters": _by_clusters,
    "day": _by_period(_DAY_S),
    "week": _by_period(7 * _DAY_S),
}


def groups_of(schedule: Schedule, by: str) -> Groups:
    """Return the groups under a name in ``GROUPINGS``."""
    if by not in GROUPINGS:
        raise UnknownNameError("grouping", by, GROUPINGS)
    return GROUPINGS[by](schedule)


def group_column(by: str, names: Sequence[Any]) -> pl.Series:
    """Return the names of groups as a column; size and run time classes sort in their order."""
    import polars as pl

    return pl.Series(by, names, dtype=pl.Enum(ORDERED[by]) if by in ORDERED else None)
