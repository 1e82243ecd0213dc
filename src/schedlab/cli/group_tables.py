"""Metrics of groups of jobs under each policy: partitions, accounts, users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from schedlab.cli.console import cell, new_table

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from schedlab.sim import Schedule

_SHOWN = 20
"""The largest number of groups in a printed table; JSON has all."""


@dataclass(frozen=True)
class GroupTables:
    """The metrics of jobs by group, as ``compare`` gives them with ``by``."""

    by: str
    metrics: list[str]
    frame: pl.DataFrame

    @classmethod
    def of(cls, schedules: Sequence[Schedule], metrics: Sequence[str], by: str) -> GroupTables:
        """Measure the schedules; metrics of whole schedules have no groups and are left out."""
        from schedlab.metrics import compare

        of_jobs = [name for name in metrics if is_of_jobs(name)]
        return cls(by, of_jobs, compare(schedules, of_jobs, by=by))

    def rows(self, policy: str) -> list[dict[str, Any]]:
        """Return the groups under one policy, for JSON."""
        own = self.frame.filter(self.frame["policy"] == policy).drop("policy")
        return own.fill_nan(None).to_dicts()

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Yield a title and a table for each metric: a row per group and a column per policy."""
        from schedlab.metrics import find_metric
        from schedlab.viz.labels import metric_label, value_label

        policies = self.frame["policy"].unique(maintain_order=True).to_list()
        found = {(row["policy"], row[self.by]): row for row in self.frame.iter_rows(named=True)}
        jobs = self.frame.group_by(self.by, maintain_order=True).agg(jobs=_most("jobs"))
        groups = jobs.sort("jobs", descending=True, maintain_order=True).rows()
        for metric in self.metrics:
            table = new_table(self.by, "jobs", *policies)
            written = partial(value_label, metric=find_metric(metric))
            for group, count in groups[:_SHOWN]:
                values = [found.get((policy, group), {}).get(metric) for policy in policies]
                table.add_row(str(group), f"{count:,}", *(cell(value, written) for value in values))
            yield f"{metric_label(metric)} by {self.by}", table

    def notes(self) -> Iterator[str]:
        """Yield what the printed tables leave out."""
        groups = self.frame[self.by].n_unique()
        if groups > _SHOWN:
            yield f"by {self.by}: the {_SHOWN} of {groups:,} with most jobs; --json has all"


def is_of_jobs(metric: str) -> bool:
    """Return whether the metric has a value for each job, and so for groups of jobs."""
    from schedlab.lookup import is_import_path
    from schedlab.metrics import JobMetric, find_metric

    plain = metric if is_import_path(metric) else metric.partition(":")[0]
    return isinstance(find_metric(plain), JobMetric)


def _most(column: str) -> Any:
    import polars as pl

    return pl.col(column).max()
