"""A figure with the table behind it, for those who do not see the one and can read the other."""

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
"""A reader listens to them one after the other."""


@dataclass(frozen=True)
class Drawing:
    """What ``figure()`` of ``figures.html`` shows.

    Args:
        data: of the figure.
        columns: of the table.
        rows: of the table.
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
        edge_s: of the parts that the means are of, in seconds of the clock that the axis shows.
        means: by what they are called.
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
    """Return what a clock shows at that second of its time."""
    return f"{datetime.fromtimestamp(float(second), UTC):%Y-%m-%d %H:%M}"


def _text(value: Any) -> str:
    if value is None or value != value:
        return "–"
    return value if isinstance(value, str) else three_digits(float(value))
