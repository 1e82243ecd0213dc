"""Results as tables: a row per cell, and means over seeds beside the published values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.experiments.grid import NAMES
from schedlab.experiments.published import KEYS, RELATIVE, PublishedRow, theirs
from schedlab.experiments.run_folder import RunFolder
from schedlab.metrics.intervals import bootstrap_interval, t_interval

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


@dataclass(frozen=True)
class FinishedCell:
    """A cell's names and its metrics."""

    names: Row
    values: dict[str, float | None]
    jobs: int


def finished_cells(folder: RunFolder) -> list[FinishedCell]:
    """Return the cells of the run that are finished, in the order of the grid."""
    record = folder.record()
    found = ((cell, folder.kept(cell["key"])) for cell in record["cells"])
    return [
        FinishedCell({key: cell[key] for key in NAMES}, kept["values"], kept["jobs"])
        for cell, kept in found
        if kept is not None
    ]


def results(path: str | Path) -> pl.DataFrame:
    """Return one row per finished cell of a run's folder: its names, its jobs and its metrics."""
    import polars as pl

    folder = RunFolder(Path(path))
    numbers: Any = dict.fromkeys(folder.record()["metrics"], pl.Float64)
    schema = {**dict.fromkeys(KEYS, pl.String), "seed": pl.Int64, "jobs": pl.Int64, **numbers}
    rows = [{**each.names, "jobs": each.jobs, **each.values} for each in finished_cells(folder)]
    return pl.DataFrame(rows, schema=schema)


def summary(path: str | Path) -> pl.DataFrame:
    """Return one row per cell and metric, over seeds: ours with intervals, theirs, the difference.

    Metrics relative to one policy are paired: divided (signed ones: subtracted) seed by seed, then
    averaged.
    """
    import polars as pl

    names: Any = dict.fromkeys((*KEYS, "metric"), pl.String)
    numbers: Any = dict.fromkeys(_NUMBERS, pl.Float64)
    schema = {**names, "seeds": pl.Int64, **numbers}
    return pl.DataFrame(_rows(RunFolder(Path(path))), schema=schema)


_NUMBERS = (
    "ours",
    "t_low",
    "t_high",
    "bootstrap_low",
    "bootstrap_high",
    "theirs",
    "difference",
    "difference_percent",
)


def _rows(folder: RunFolder) -> list[Row]:
    record, cells = folder.record(), finished_cells(folder)
    relative_to = record["relative_to"]
    if relative_to is not None:
        cells = list(_with_relatives(cells, relative_to, record.get("signed", ())))
    published = [PublishedRow(**row) for row in record["published"]["rows"]]
    scenarios: dict[tuple[str, ...], list[FinishedCell]] = {}
    for cell in cells:
        scenarios.setdefault(tuple(cell.names[key] for key in KEYS), []).append(cell)
    return [
        _summed_up(dict(zip(KEYS, names, strict=True)), metric, same, published)
        for metric in all_metrics(record["metrics"], relative_to)
        for names, same in scenarios.items()
    ]


def all_metrics(metrics: Iterable[str], relative_to: str | None) -> list[str]:
    """Return the metrics, and each relative to a policy if there is one."""
    metrics = list(metrics)
    return metrics if relative_to is None else metrics + [RELATIVE + name for name in metrics]


def _with_relatives(
    cells: list[FinishedCell], relative_to: str, signed: Collection[str]
) -> Iterator[FinishedCell]:
    def scenario(cell: FinishedCell) -> tuple[Any, ...]:
        return tuple(cell.names[key] for key in NAMES if key != "policy")

    reference = {scenario(each): each for each in cells if each.names["policy"] == relative_to}
    for cell in cells:
        base = reference.get(scenario(cell))
        relatives = {
            RELATIVE + name: _relative(value, base.values[name] if base else None, name in signed)
            for name, value in cell.values.items()
        }
        yield FinishedCell(cell.names, {**cell.values, **relatives}, cell.jobs)


def _relative(value: float | None, base: float | None, signed: bool) -> float | None:
    """Return the quotient, or the difference of a signed metric, whose quotient means nothing."""
    if value is None or base is None:
        return None
    if signed:
        return value - base
    return value / base if base else None


def _summed_up(
    names: Row, metric: str, cells: list[FinishedCell], published: list[PublishedRow]
) -> Row:
    values = [value for cell in cells if (value := cell.values[metric]) is not None]
    ours = float(np.mean(values)) if values else None
    other = theirs(published, names, metric)
    difference = None if ours is None or other is None else ours - other
    t, bootstrap = t_interval(values) or (None, None), bootstrap_interval(values) or (None, None)
    share = None if difference is None or not other else 100 * difference / abs(other)
    numbers = (ours, *t, *bootstrap, other, difference, share)
    return {
        **names,
        "metric": metric,
        "seeds": len(values),
        **dict(zip(_NUMBERS, numbers, strict=True)),
    }
