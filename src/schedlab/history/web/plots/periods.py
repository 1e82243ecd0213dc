"""Figures of quantities by day, week or month."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import FixedTicker, HoverTool, NoOverlap

from schedlab.history.web.plots.look import ticks_up_to
from schedlab.history.web.plots.timeline import COLOURS
from schedlab.viz.report.style import legend_above, new_figure

_HEIGHT = 200
_MOST_LABELS = 10


def bars_figure(
    periods: Sequence[str], values: Sequence[float | None], label: str, *, colour: int = 0
) -> Any:
    """Draw a bar for each period; a period of which nothing is known has none."""
    known = [0.0 if value is None else value for value in values]
    plot = _figure(periods, label, y_range=(0, 1.08 * max([*known, 1e-9])))
    source = {"x": np.arange(len(periods)), "top": known, "period": list(periods)}
    plot.vbar("x", 0.8, "top", source=source, color=COLOURS[colour], fill_alpha=0.85)
    about = [("", "@period"), (label, "@top{0,0.[00]}")]
    plot.add_tools(HoverTool(tooltips=about, mode="vline", visible=False))
    return plot


def accuracy_figure(
    periods: Sequence[str], mean_wra: Sequence[float], wrsa: Sequence[float]
) -> Any:
    """Draw the mean WRA of each period, and the user's WRSA at its end.

    1 is a perfect request.
    """
    plot = _figure(periods, "run time / requested", y_range=(0, max(1.08, *mean_wra, *wrsa)))
    x = np.arange(len(periods))
    for place, (name, values) in enumerate((("mean WRA", mean_wra), ("WRSA", wrsa))):
        source = {"x": x, "y": list(values), "period": list(periods)}
        line = {"color": COLOURS[place], "legend_label": name}
        plot.line("x", "y", source=source, line_width=2, name=name, **line)
        plot.scatter("x", "y", source=source, size=6, name=name, **line)
    legend_above(plot)
    about = [("", "@period"), ("$name", "@y{0.00}")]
    plot.add_tools(HoverTool(tooltips=about, visible=False))
    return plot


def _figure(periods: Sequence[str], label: str, **options: Any) -> Any:
    plot = new_figure(_HEIGHT, along="width", y_axis_label=label, **options)
    plot.x_range.start, plot.x_range.end = -0.6, max(len(periods), 6) - 0.4
    plot.xgrid.grid_line_color = None
    every = -(-len(periods) // _MOST_LABELS) or 1
    plot.xaxis.ticker = FixedTicker(ticks=list(range(0, len(periods), every)))
    plot.xaxis.major_label_overrides = dict(enumerate(periods))
    plot.xaxis.major_label_policy = NoOverlap(min_distance=8)  # on a phone there is room for few
    plot.yaxis.formatter = ticks_up_to(plot.y_range.end)
    plot.min_border_left = 64
    plot.toolbar.autohide = True
    return plot
