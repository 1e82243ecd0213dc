"""A metric at a glance: a row per scenario and a column per policy, or the other way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedlab.experiments.published import RELATIVE
from schedlab.experiments.table import Row
from schedlab.lookup import is_import_path
from schedlab.units import three_digits
from schedlab.viz.labels import metric_label

_MOST_COLUMNS = 8


@dataclass(frozen=True)
class SummaryTable:
    """One metric under some policies; published values stand in brackets."""

    metric: str
    label: str
    policies: tuple[str, ...]
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    text_columns: int
    """The number of columns, from the first on, that name the row."""

    def readable(self) -> SummaryTable:
        """Return a table with a row per policy if there are too many policies for columns."""
        if len(self.policies) <= max(_MOST_COLUMNS, len(self.rows)):
            return self
        names = (" ".join(row[: self.text_columns]) for row in self.rows)
        cells = zip(*(row[self.text_columns :] for row in self.rows), strict=True)
        policies = self.headings[self.text_columns :]
        turned = [(name, *values) for name, values in zip(policies, cells, strict=True)]
        return replace(self, headings=("policy", *names), rows=turned, text_columns=1)


def summary_tables(
    rows: Sequence[Row], record: Mapping[str, Any], *, between: str = " "
) -> list[SummaryTable]:
    """Return the tables of a run's summary, for each metric.

    Each model has a table of its own, with a column for each workload that it was trained on.
    ``between`` stands before the published value.
    """
    keys, found = scenario_keys(rows), []
    for metric in dict.fromkeys(row["metric"] for row in rows):
        by_scenario: dict[tuple[str, ...], dict[str, str]] = {}
        for row in rows:
            if row["metric"] == metric:
                scenario = by_scenario.setdefault(tuple(row[key] for key in keys), {})
                scenario[row["policy"]] = _both(row, between)
        for family, columns in _families(rows, record).items():
            lines = [
                (*scenario, *(cells.get(policy, "–") for policy in columns))
                for scenario, cells in by_scenario.items()
                if not columns.keys().isdisjoint(cells)
            ]
            label = ", ".join(filter(None, (_label(metric, record), family)))
            headings = (*keys, *columns.values())
            summary = SummaryTable(metric, label, tuple(columns), headings, lines, len(keys))
            found.append(summary.readable())
    return found


def _families(rows: Sequence[Row], record: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the policies of each table, with the headings of their columns."""
    families: dict[str, dict[str, str]] = {}
    for policy in dict.fromkeys(row["policy"] for row in rows):
        family, heading = record.get("models", {}).get(policy, ("", policy))
        families.setdefault(family, {})[policy] = heading
    return families


def scenario_keys(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names that tell scenarios apart; the workload if there is only one scenario."""
    keys = ("workload", "variant", "platform")
    return tuple(key for key in keys if len({row[key] for row in rows}) > 1) or keys[:1]


def written(value: float | None) -> str:
    """Return the number with at least three digits; a dash where there is none."""
    return "–" if value is None else three_digits(value)


def _both(row: Row, between: str) -> str:
    ours, theirs = written(row["ours"]), row["theirs"]
    return ours if theirs is None else f"{ours}{between}({written(theirs)})"


def _label(metric: str, record: Mapping[str, Any]) -> str:
    plain = metric.removeprefix(RELATIVE)
    label = plain if is_import_path(plain) else metric_label(plain)
    if plain != metric:
        how = "minus that of" if plain in record.get("signed", ()) else "relative to"
        return f"{label} {how} {record['relative_to']}"
    unit = record["units"][metric]
    return label if unit == "1" else f"{label} ({unit})"
