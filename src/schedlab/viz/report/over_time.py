"""Use of the machine and queue over time, to explore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool

from schedlab.sim import Schedule
from schedlab.sim.node_shares import busy_nodes
from schedlab.viz.colours import policy_colour
from schedlab.viz.curves import Band, band
from schedlab.viz.report.style import legend_above, time_figure, time_tooltip
from schedlab.viz.time_axis import TimeAxis

USE_BINS, QUEUE_BINS = 400, 1500
"""Numbers of spans of time; the use of a loaded machine jumps too much for more to be seen."""


def used_nodes_figure(schedules: Sequence[Schedule], axis: TimeAxis) -> Any:
    """Draw nodes in use, one line per policy."""
    nodes = max(schedule.platform.nodes for schedule in schedules)
    plot = time_figure(230, axis, y_range=(0, nodes * 1.04), y_axis_label="nodes in use")
    plot.hspan(y=[nodes], line_dash="dashed", line_color="black")
    for place, schedule in enumerate(schedules):
        shown = band(busy_nodes(schedule), axis, USE_BINS)
        _draw(plot, shown, axis, schedule.policy, place, shaded=len(schedules) == 1)
    legend_above(plot)
    return plot


def queue_figure(schedules: Sequence[Schedule], axis: TimeAxis, x_range: Any) -> Any:
    """Draw waiting jobs, one line per policy."""
    plot = time_figure(230, axis, x_range, y_axis_label="jobs waiting")
    for place, schedule in enumerate(schedules):
        shown = band(schedule.queue_length(), axis, QUEUE_BINS)
        _draw(plot, shown, axis, schedule.policy, place, shaded=True)
    plot.y_range.start = 0
    legend_above(plot)
    return plot


def _draw(plot: Any, shown: Band, axis: TimeAxis, name: str, place: int, *, shaded: bool) -> None:
    """Draw the mean as a line and, if wanted, a shade from the least to the greatest value."""
    # Corners drawn as a line: Bokeh's own step glyph does not answer to the mouse.
    source = ColumnDataSource(
        {
            "time": np.repeat(shown.place, 2)[1:-1].astype(_precision(axis)),
            "mean": np.repeat(shown.mean, 2).astype(np.float32),
            "least": np.repeat(shown.least, 2).astype(np.int32),
            "greatest": np.repeat(shown.greatest, 2).astype(np.int32),
        }
    )
    colour = policy_colour(place)
    if shaded:
        plot.varea(
            "time",
            "least",
            "greatest",
            source=source,
            fill_color=colour,
            fill_alpha=0.2,
            legend_label=name,
        )
    line = plot.line("time", "mean", source=source, color=colour, legend_label=name)
    time, formatters = time_tooltip("@time", axis)
    about = [
        ("policy", name),
        ("time", time),
        ("mean", "@mean{0,0.0}"),
        ("least", "@least"),
        ("greatest", "@greatest"),
    ]
    plot.add_tools(
        HoverTool(renderers=[line], tooltips=about, formatters=formatters, visible=False)
    )


def _precision(axis: TimeAxis) -> type[np.floating[Any]]:
    """Return the type of places: milliseconds since 1970 need more digits than other places."""
    return np.float64 if axis.dates else np.float32
