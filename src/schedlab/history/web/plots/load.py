"""How busy a cluster was, over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import HoverTool
from numpy.typing import NDArray

from schedlab.history.web.plots.look import steps, ticks_up_to, time_figure
from schedlab.history.web.plots.timeline import COLOURS

_HEIGHT = 170


def load_figure(
    edge_s: NDArray[Any],
    means: NDArray[Any],
    label: str,
    *,
    most: float | None = None,
    colour: int = 0,
) -> Any:
    """Return one quantity as an area under steps.

    Args:
        edge_s: the edges of the parts of time, in epoch seconds.
        means: the mean of the quantity in each part.
        label: what it is, with its unit.
        most: what it cannot exceed, drawn as a line.
        colour: its place among the colours.
    """
    top = max(float(np.max(means, initial=0.0)), most or 0.0) or 1.0
    plot = time_figure(
        _HEIGHT,
        edge_s[0],
        edge_s[-1],
        y_range=(0, 1.08 * top),
        y_axis_label=label,
    )
    time_ms, value = steps(edge_s, means)
    plot.varea(time_ms, 0, value, color=COLOURS[colour], fill_alpha=0.3)
    line = plot.line(time_ms, value, color=COLOURS[colour], line_width=1.5)
    if most is not None:
        plot.hspan(y=[most], line_dash="dotted", line_color=COLOURS[1])
    plot.yaxis.formatter = ticks_up_to(top)
    about = [("time", "$x{%F %R}"), (label, "@y{0,0.[000]}")]
    plot.add_tools(
        HoverTool(
            tooltips=about,
            formatters={"$x": "datetime"},
            renderers=[line],
            mode="vline",
            visible=False,
        )
    )
    return plot
