"""Several schedules of the same jobs, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.models import HoverTool, NumeralTickFormatter
from numpy.typing import NDArray

from schedlab.history.web.plots.look import steps, time_figure
from schedlab.history.web.plots.timeline import COLOURS
from schedlab.viz.report.style import legend_above, new_figure

_HEIGHT = 260
_LEGEND_COLUMNS = 3  # as many as a phone has room for


def waits_figure(waits_s: Mapping[str, Sequence[float]]) -> Any:
    """For each schedule, which share of the jobs waited no longer than so many hours."""
    plot = new_figure(_HEIGHT, x_axis_label="wait (h)", y_axis_label="jobs (%)", y_range=(0, 102))
    for place, (name, values) in enumerate(waits_s.items()):
        source = {"x": np.asarray(values) / 3600, "y": np.linspace(0, 100, len(values))}
        plot.line("x", "y", source=source, name=name, **_line(place, name))
    legend_above(plot)
    plot.legend[0].ncols = _LEGEND_COLUMNS
    about = [("", "$name"), ("wait", "@x{0.00} h"), ("jobs", "@y{0} %")]
    plot.add_tools(HoverTool(tooltips=about, visible=False))
    plot.min_border_left = 64
    plot.toolbar.autohide = True
    return plot


def used_figure(edge_s: NDArray[Any], used_nodes: Mapping[str, Sequence[float]], nodes: int) -> Any:
    """For each schedule, the nodes in use over time."""
    plot = time_figure(
        _HEIGHT, edge_s[0], edge_s[-1], y_range=(0, 1.05 * nodes), y_axis_label="nodes in use"
    )
    for place, (name, means) in enumerate(used_nodes.items()):
        time_ms, value = steps(edge_s, np.asarray(means))
        plot.line(time_ms, value, name=name, **_line(place, name))
    legend_above(plot)
    plot.legend[0].ncols = _LEGEND_COLUMNS
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
    return plot


def _line(place: int, name: str) -> dict[str, Any]:
    """What happened in truth is the boldest."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "line_width": 2.5 if place == 0 else 1.6,
        "legend_label": name,
    }
