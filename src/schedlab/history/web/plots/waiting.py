"""The nodes of a cluster while a job waited."""

from __future__ import annotations

from typing import Any

from schedlab.history.sensors.series import Floats
from schedlab.history.web.plots.timeline import COLOURS

_HEIGHT = 160


def waiting_figure(time_ms: Floats, busy: Floats, num_host: int, nodes: int | None = None) -> Any:
    """Draw the nodes in use over time; while they are below the dashed line, the job would fit.

    Args:
        time_ms: the moments, the last of which is the job's start.
        busy: the number of nodes in use from each moment on.
        num_host: the number of nodes that the job asked for.
        nodes: the number of nodes of the cluster, if it is known.
    """
    from bokeh.models import BasicTicker, NoOverlap, Range1d
    from bokeh.plotting import figure as new_figure

    top = max(float(busy.max()), float(nodes or 0), 1.0)
    figure = new_figure(
        height=_HEIGHT,
        sizing_mode="stretch_width",
        x_axis_type="datetime",
        x_range=Range1d(start=float(time_ms[0]), end=float(time_ms[-1])),
        y_range=Range1d(start=0, end=1.08 * top),
        tools="",
        toolbar_location=None,
        y_axis_label="nodes in use",
        min_border_right=12,
        outline_line_color=None,
    )
    figure.xgrid.grid_line_color = None
    figure.xaxis.major_label_policy = NoOverlap(min_distance=8)
    figure.yaxis.ticker = BasicTicker(desired_num_ticks=4)
    level = [*busy[:-1], busy[-2] if len(busy) > 1 else busy[-1]]
    figure.varea_step(
        time_ms, [0.0] * len(time_ms), level, step_mode="after", fill_color=COLOURS[0], alpha=0.35
    )
    figure.step(time_ms, level, mode="after", color=COLOURS[0], line_width=1.6)
    if nodes is not None:
        figure.hspan([nodes - num_host], color=COLOURS[1], line_dash="dashed", line_width=1.6)
    return figure
