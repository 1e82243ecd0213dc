"""Scores of predicted distributions of run times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.metrics.groupings import groups_of
from schedlab.predict import RunTimes
from schedlab.sim import Schedule

if TYPE_CHECKING:
    import polars as pl

SCORED_LEVELS = tuple(float(level) for level in np.arange(1, 20) / 20)
"""0.05, 0.1, ..., 0.95."""

_INTERVALS = {50: (0.25, 0.75), 80: (0.1, 0.9)}


def quantile_scores(
    schedule: Schedule,
    predicted: RunTimes,
    *,
    levels: Sequence[float] = SCORED_LEVELS,
    elapsed_s: float = 0,
    by: str | None = None,
) -> pl.DataFrame:
    """Return scores of predicted quantiles: one row, or one row per group, the largest group first.

    The columns are ``jobs``; ``pinball_loss_s``, the mean over jobs and levels of p · (r − q) where
    the run time r is above the quantile q of level p, else (1 − p) · (q − r); ``mean_error_s``, the
    mean error of the median; ``within_50`` and ``within_80``, the shares of jobs that ended in the
    interval between the quantiles 0.25 and 0.75, and 0.1 and 0.9, ends included; and
    ``width_80_s``, the mean width of the latter. Jobs that never ran are left out.

    Args:
        schedule: what happened.
        predicted: the prediction for each job, from ``Recorded``.
        levels: levels of the pinball loss, each above 0 and below 1.
        elapsed_s: only jobs that ran longer than this are judged, by the quantiles given that they
            did.
        by: a name in ``GROUPINGS``; None for one row about all jobs.
    """
    import polars as pl

    checked = np.array([_checked(level) for level in levels])
    judged = np.flatnonzero(_judged(schedule, elapsed_s))
    ran_s = schedule.ran_s[judged]
    told = RunTimes(predicted.log_s[judged])
    error_s = ran_s[:, None] - told.quantiles(checked, elapsed_s)
    loss = np.maximum(checked * error_s, (checked - 1) * error_s).mean(axis=1)
    jobs = {"pinball_loss_s": loss, "mean_error_s": told.quantiles([0.5], elapsed_s)[:, 0] - ran_s}
    for share, ends in _INTERVALS.items():
        # Run times are whole seconds: a job within a second of the interval's end is inside.
        low, high = told.quantiles(ends, elapsed_s).T
        jobs[f"within_{share}"] = (np.floor(low) <= ran_s) & (ran_s <= np.ceil(high))
        jobs[f"width_{share}_s"] = high - low
    del jobs["width_50_s"]
    frame = pl.DataFrame(jobs)
    aggregates = (pl.len().alias("jobs"), *(pl.col(name).mean() for name in jobs))
    if by is None:
        return frame.select(aggregates)
    group, names = groups_of(schedule, by)
    named = frame.with_columns(pl.Series(by, list(names)).gather(group[judged]))
    return named.group_by(by).agg(aggregates).sort(["jobs", by], descending=[True, False])


def reliability(
    schedule: Schedule, predicted: RunTimes, levels: Sequence[float], *, elapsed_s: float = 0
) -> pl.DataFrame:
    """Return each level's pinball loss, and the share of jobs that ended at or below the quantile.

    The arguments are those of ``quantile_scores``.
    """
    import polars as pl

    losses = [
        quantile_scores(schedule, predicted, levels=[level], elapsed_s=elapsed_s)
        for level in levels
    ]
    reached = schedule.ran_s[:, None] <= np.ceil(predicted.quantiles(levels, elapsed_s))
    return pl.DataFrame(
        {
            "level": levels,
            "pinball_loss_s": pl.concat(losses)["pinball_loss_s"],
            "at_or_below": pl.DataFrame(reached[_judged(schedule, elapsed_s)]).mean().row(0),
        }
    )


def _judged(schedule: Schedule, elapsed_s: float) -> NDArray[np.bool_]:
    """Return which jobs ran, and for longer than ``elapsed_s`` unless that is 0."""
    return schedule.started & ((schedule.ran_s > elapsed_s) | (elapsed_s == 0))


def _checked(level: float) -> float:
    if not 0 < level < 1:
        raise ParameterError(f"level {level:g}; must be above 0 and below 1")
    return level
