"""A figure with the table behind it, for readers who cannot see the figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.history.web.plots.embed import figure_data
from schedlab.units import three_digits

MOST_ROWS = 24
"""The largest number of rows: some readers listen to them one after the other."""


@dataclass(frozen=True)
class Drawing:
    """What ``figure()`` of ``figures.html`` shows.

    Args:
        data: the data of the figure.
        columns: the names of the table's columns.
        rows: the rows of the table.
    """

    data: Any
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def drawing(figure: Any, columns: Mapping[str, Iterable[Any]]) -> Drawing:
    """Return the figure, and these columns as its table; numbers are written with three digits."""
    texts = [[_text(each) for each in values] for values in columns.values()]
    rows = list(zip(*texts, strict=True))
    return Drawing(figure_data(figure), list(columns), rows)


def over_time(edge_s: NDArray[Any], means: Mapping[str, NDArray[Any]]) -> dict[str, list[Any]]:
    """Return columns of a table: means over parts of time, few enough to be read.

    Args:
        edge_s: the edges of the parts with these means, in seconds of the clock on the axis.
        means: the means by their names.
    """
    width = np.diff(np.asarray(edge_s, dtype=float))
    blocks = np.array_split(np.arange(len(width)), max(1, min(MOST_ROWS, len(width))))
    blocks = [block for block in blocks if width[block].sum() > 0]
    columns: dict[str, list[Any]] = {"From": [clock(edge_s[block[0]]) for block in blocks]}
    for name, values in means.items():
        known = np.asarray(values, dtype=float)
        columns[name] = [np.average(known[block], weights=width[block]) for block in blocks]
    return columns


def clock(second: float) -> str:
    """Return the date and time of a second of the clock on the axis."""
    return f"{datetime.fromtimestamp(float(second), UTC):%Y-%m-%d %H:%M}"


def _text(value: Any) -> str:
    if value is None or value != value:
        return "–"
    return value if isinstance(value, str) else three_digits(float(value))
