"""Accuracy of predicted run times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.metrics import prediction
from schedlab.metrics.groupings import groups_of
from schedlab.sim import Schedule

if TYPE_CHECKING:
    import polars as pl


def prediction_accuracy(schedule: Schedule, by: str | None = "user") -> pl.DataFrame:
    """Return the accuracy of the predictions for each user; users with most jobs come first.

    The columns after the user are ``jobs``; ``mean_absolute_error_s``; ``mean_error_s``, negative
    where predictions are too short; ``underestimated``, the share of jobs that ran longer than
    predicted; and ``accuracy``, the mean of the shorter of prediction and run time divided by the
    longer. Without a predictor, requests are judged. Jobs that never ran are left out.

    Args:
        schedule: what happened.
        by: a name in ``GROUPINGS`` for groups other than users; None for one row about all jobs.
    """
    import polars as pl

    error = pl.col("error_s")
    aggregates = (
        pl.len().alias("jobs"),
        error.abs().mean().alias("mean_absolute_error_s"),
        error.mean().alias("mean_error_s"),
        (error < 0).mean().alias("underestimated"),
        pl.col("accuracy").mean(),
    )
    jobs = pl.DataFrame(
        {
            "error_s": prediction.prediction_bias(schedule),
            "accuracy": prediction.prediction_accuracy(schedule),
        }
    )
    if by is None:
        return jobs.filter(schedule.started).select(aggregates)
    group, names = groups_of(schedule, by)
    named = jobs.with_columns(pl.Series(by, list(names)).gather(group))
    found = named.filter(schedule.started).group_by(by).agg(aggregates)
    return found.sort(["jobs", by], descending=[True, False])
