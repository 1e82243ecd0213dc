"""How accurate each user's requests are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from schedlab.analysis.distributions import BoxPlot
from schedlab.metrics.accuracy import wrsa_by_user, wrsa_over_time
from schedlab.workload import Workload

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Users:
    """The accuracy of users, each counted once however many jobs they have."""

    table: pl.DataFrame
    """A row per user, those with most jobs first: ``user``, ``jobs``, ``mean_wra``, ``wrsa``, and
    the box plot of the user's WRSA after each job, ``least`` to ``greatest`` and ``mean``."""
    mean_wra: BoxPlot
    """The box plot of the users' mean WRA, which the paper's Figure 1 calls WRSA."""
    wrsa: BoxPlot
    """The box plot of the users' WRSA after their last jobs, by the recursion."""

    @classmethod
    def of(cls, workload: Workload, beta: float) -> Users:
        """Describe these jobs, of which at least one has a known user."""
        table = wrsa_by_user(workload, beta)
        boxes = _boxes(wrsa_over_time(workload, beta))
        return cls(
            table.join(boxes, on="user").sort(["jobs", "user"], descending=[True, False]),
            BoxPlot.of(table["mean_wra"].to_numpy()),
            BoxPlot.of(table["wrsa"].to_numpy()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "mean_wra": asdict(self.mean_wra),
            "wrsa": asdict(self.wrsa),
            "table": self.table.to_dicts(),
        }


def _boxes(wrsa: pl.DataFrame) -> pl.DataFrame:
    """Return the box plot of each user's WRSA over the user's jobs."""
    import polars as pl

    value = pl.col("wrsa")
    return wrsa.group_by("user").agg(
        value.min().alias("least"),
        value.quantile(0.25, "linear").alias("q25"),
        value.median().alias("median"),
        value.quantile(0.75, "linear").alias("q75"),
        value.max().alias("greatest"),
        value.mean().alias("mean"),
    )
