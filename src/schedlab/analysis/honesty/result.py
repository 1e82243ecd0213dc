"""The effects of accurate and padded requests, for each user and over all users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.analysis.honesty.change import MEASURES, Row
from schedlab.errors import WorkloadError
from schedlab.metrics.intervals import bootstrap_interval

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Honesty:
    """How much each user gains or loses by changed requests, under each policy."""

    changes: pl.DataFrame
    """A row per policy, treatment and user: the means of wait, bounded slowdown and slowdown over
    the user's jobs ``before`` and ``after``, their ``change``, and the change of the other users'
    mean wait."""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Honesty:
        """Collect the rows, without users that have no job that runs both before and after."""
        import polars as pl

        changes = pl.DataFrame(rows).filter(pl.col("jobs") > 0)
        if changes.is_empty():
            raise WorkloadError("no job of the users chosen runs both before and after")
        return cls(changes)

    def summary(self) -> pl.DataFrame:
        """Return a row per policy and treatment: means over users with 95 % bootstrap intervals.

        ``gain`` is the share of users whose mean wait gets shorter. ``wait_change_percent`` is the
        mean change relative to the mean wait before: users who hardly wait do not dominate it.
        """
        import polars as pl

        groups = self.changes.partition_by("policy", "treatment", maintain_order=True)
        return pl.DataFrame([_summary_row(group) for group in groups])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; None where a number is not defined."""
        return {
            "summary": self.summary().fill_nan(None).to_dicts(),
            "changes": self.changes.fill_nan(None).to_dicts(),
        }


def _summary_row(group: pl.DataFrame) -> Row:
    change_s = group["wait_change_s"].to_numpy()
    row = {
        "policy": group["policy"][0],
        "treatment": group["treatment"][0],
        "users": len(group),
        "gain": float(np.mean(change_s < 0)),
        "lose": float(np.mean(change_s > 0)),
    }
    for metric, unit in MEASURES.items():
        row[f"{metric}_before{unit}"] = group[f"{metric}_before{unit}"].mean()
        row |= _mean_and_interval(group, f"{metric}_change", unit)
    row |= _mean_and_interval(group, "others_wait_change", "_s")
    before_s = row["wait_before_s"]
    percent = 100 * row["wait_change_s"] / before_s if before_s else float("nan")
    return {**row, "wait_change_percent": percent, "wait_median_change_s": np.median(change_s)}


def _mean_and_interval(group: pl.DataFrame, name: str, unit: str) -> Row:
    values = group[f"{name}{unit}"].to_list()
    low, high = bootstrap_interval(values) or (float("nan"), float("nan"))
    return {f"{name}{unit}": np.mean(values), f"{name}_low{unit}": low, f"{name}_high{unit}": high}
