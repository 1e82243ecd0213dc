"""Whether users with accurate requests are treated better (Takizawa and Takano, Figures 5-6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from schedlab.errors import UnknownNameError
from schedlab.metrics.accuracy import BETA, wrsa_by_user
from schedlab.metrics.metric import JobMetric, Metric, Values
from schedlab.metrics.wait import delay, slowdown, wait_per_node
from schedlab.sim import Schedule

if TYPE_CHECKING:
    import polars as pl

MEASURES: dict[str, JobMetric] = {
    "wait": JobMetric(wait_per_node, "s"),
    "delay": JobMetric(delay, "s"),
    "slowdown": JobMetric(slowdown, "1"),
}
"""What users suffer: the paper's Waittime, Delay and Slowdown."""

MIN_JOBS = 10
"""Users with fewer jobs are left out, as in the paper."""

_FEWEST_USERS = 3


def incentive_points(schedule: Schedule, measure: str, beta: float = BETA) -> pl.DataFrame:
    """List users with at least 10 jobs: ``user``, ``jobs``, ``wrsa``, ``value``, ``scaled``.

    ``wrsa`` is the user's WRSA after the last completion, ``value`` the mean of the measure over
    the user's jobs, and ``scaled`` that value from 0 for the user who fares best to 1 for the one
    who fares worst; NaN where all fare alike. Users for whom the measure is not defined have no
    row.
    """
    import polars as pl

    if measure not in MEASURES:
        raise UnknownNameError("measure of users", measure, MEASURES)
    users = wrsa_by_user(schedule, beta)
    suffered = pl.DataFrame(
        {
            "user": schedule.workload.labelled("user"),
            "value": MEASURES[measure].of_jobs(schedule),
        },
        schema_overrides={"user": users.schema["user"]},
    )
    means = suffered.filter(pl.col("value").is_not_nan()).group_by("user").agg(pl.mean("value"))
    value, least = pl.col("value"), pl.col("value").min()
    return (
        users.select("user", "jobs", "wrsa")
        .filter(pl.col("jobs") >= MIN_JOBS)
        .join(means, on="user")
        .sort("user")
        .with_columns(((value - least) / (value.max() - least)).alias("scaled"))
    )


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Return Spearman's rank correlation, ties at their mean rank; NaN if x or y is constant."""
    import polars as pl

    columns = {"x": np.asarray(x, dtype=float), "y": np.asarray(y, dtype=float)}
    found = pl.DataFrame(columns).select(pl.corr("x", "y", method="spearman")).item()
    return float("nan") if found is None else float(found)


def _rank_correlation(wrsa: Values, scaled: Values) -> float:
    """Rank correlation of users' WRSA with their {measure}: negative if the accurate fare better.

    Spearman's, over the users with at least 10 jobs.
    """
    # Of the 1.0 that every user begins with, 0.3¹⁰ = 0.000006 is left after ten jobs; that must
    # not rank users whose jobs are equally accurate.
    return spearman(np.round(wrsa, 4), scaled)


def _distance(wrsa: Values, scaled: Values) -> float:
    """Mean distance of users from the line on which {measure} falls as WRSA rises.

    mean |x + y − 1| / √2, with y the user's WRSA and x the measure scaled to 0..1 over the users
    with at least 10 jobs.
    """
    return float(np.abs(scaled + wrsa - 1).mean() / np.sqrt(2))


def _share_above(wrsa: Values, scaled: Values) -> float:
    """Share of users with more {measure} than their WRSA deserves: those above the line.

    Users with x + y > 1 among those with at least 10 jobs, with y the user's WRSA and x the measure
    scaled to 0..1.
    """
    return float(np.mean(scaled + wrsa > 1))


def _metric(measure: str, number: Callable[[Values, Values], float], signed: bool) -> Metric:
    def formula(schedule: Schedule) -> float:
        points = incentive_points(schedule, measure)
        wrsa, scaled = points["wrsa"].to_numpy(), points["scaled"].to_numpy()
        if len(points) < _FEWEST_USERS or np.isnan(scaled).any():
            return float("nan")
        return number(wrsa, scaled)

    words = {"wait": "wait per node"}.get(measure, measure)
    formula.__doc__ = (number.__doc__ or "").format(measure=words)
    return Metric(formula, "1", signed=signed)


INCENTIVES: dict[str, Metric] = {
    f"incentive_{measure}{suffix}": _metric(measure, number, signed)
    for measure in MEASURES
    for suffix, number, signed in (
        ("", _rank_correlation, True),
        ("_distance", _distance, False),
        ("_above", _share_above, False),
    )
}
"""For each measure: the rank correlation, the mean distance to the line y = 1 − x, and the share of
users above it."""
