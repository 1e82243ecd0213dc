"""The look of the figures: colours of text and lines come from the page, by figures.js."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bokeh.models import NoOverlap, NumeralTickFormatter
from numpy.typing import NDArray

from schedlab.viz.report.style import new_figure


def time_figure(height: int, from_s: float, to_s: float, **options: Any) -> Any:
    """Return a figure over a time, between two moments in epoch seconds.

    Dragging zooms in along the time.
    """
    x_range = (1e3 * from_s, 1e3 * to_s)
    plot = new_figure(height, along="width", x_axis_type="datetime", x_range=x_range, **options)
    plot.xaxis.major_label_policy = NoOverlap(min_distance=8)
    plot.min_border_left = 64
    plot.toolbar.autohide = True
    return plot


def ticks_up_to(top: float) -> NumeralTickFormatter:
    """Return a format with enough digits to tell ticks apart, on an axis from 0 to ``top``."""
    digits = max(1, 1 - math.floor(math.log10(max(top, 1e-9) / 10)))
    return NumeralTickFormatter(format=f"0,0.[{'0' * digits}]")


def milliseconds(epoch_s: NDArray[Any]) -> NDArray[np.float64]:
    """Return times as Bokeh counts them."""
    return 1e3 * np.asarray(epoch_s, dtype=float)


def steps(edge_s: NDArray[Any], means: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a line that stays at each mean from one edge to the next."""
    return np.repeat(milliseconds(edge_s), 2)[1:-1], np.repeat(np.asarray(means, dtype=float), 2)
