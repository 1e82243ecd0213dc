"""Comparison of policies, with each value relative to the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.cli.console import new_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from schedlab.sim import Schedule


@dataclass(frozen=True)
class PolicyComparison:
    """The values of some metrics under some policies."""

    policies: list[str]
    values: dict[str, list[float]]
    """The values by metric, one per policy."""

    @classmethod
    def of(cls, schedules: Sequence[Schedule], metrics: Sequence[str]) -> PolicyComparison:
        """Measure the schedules."""
        from schedlab.metrics import compare

        frame = compare(schedules, metrics)
        values = {name: frame[name].to_list() for name in metrics}
        return cls(frame["policy"].to_list(), values)

    def relative(self, metric: str) -> list[float]:
        """Return each value divided by the best value, for which it is 1.

        NaN where the ratio means nothing.
        """
        from schedlab.metrics import find_metric
        from schedlab.viz.comparison import best_of

        found = find_metric(metric)
        best = best_of(self.values[metric], found)
        comparable = best and not found.signed
        return [
            1.0 if value == best else value / best if comparable else math.nan
            for value in self.values[metric]
        ]

    def rows(self) -> list[dict[str, dict[str, float | None]]]:
        """Return one row per policy, for JSON."""
        columns = {"metrics": self.values, "relative": {m: self.relative(m) for m in self.values}}
        return [
            {
                kind: {name: _or_none(each[place]) for name, each in found.items()}
                for kind, found in columns.items()
            }
            for place in range(len(self.policies))
        ]

    def table(self, console: Console) -> Table:
        """Return a row per metric where the console is wide enough, else a row per policy."""
        table = self._by_metric()
        boundless = console.options.update(max_width=10_000)
        fits = console.measure(table, options=boundless).maximum <= console.width
        return table if fits else self._by_policy()

    def _by_metric(self) -> Table:
        from schedlab.viz.labels import metric_label

        table = new_table("", *self.policies)
        for metric in self.values:
            table.add_row(metric_label(metric), *self._cells(metric, between=" "))
        return table

    def _by_policy(self) -> Table:
        from schedlab.viz.labels import metric_label

        headings = [metric_label(metric).replace(" ", "\n") for metric in self.values]
        table = new_table("policy", *headings)
        columns = [self._cells(metric, between="\n") for metric in self.values]
        for policy, *cells in zip(self.policies, *columns, strict=True):
            table.add_row(policy, *cells)
        return table

    def _cells(self, metric: str, between: str) -> list[Text]:
        """Return the values, each with its ratio to the best where there are several."""
        from rich.text import Text

        from schedlab.metrics import find_metric
        from schedlab.viz.labels import value_label

        found = find_metric(metric)
        texts = [value_label(value, found) for value in self.values[metric]]
        if len(texts) == 1:
            return [Text(texts[0])]
        return [
            Text(text, "green" if ratio == 1 else "").append(f"{between}{_times(ratio):>5}", "dim")
            for text, ratio in zip(texts, self.relative(metric), strict=True)
        ]


def _times(ratio: float) -> str:
    from schedlab.units import three_digits

    if ratio == 1 or math.isnan(ratio):
        return "best" if ratio == 1 else ""
    return f"×{ratio:.2f}" if ratio < 10 else f"×{three_digits(ratio)}"


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
