"""Gantt chart of a cluster's nodes: every job if there are few, else how busy each node was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import FixedTicker, HoverTool, LinearColorMapper
from numpy.typing import NDArray

from schedlab.history.web.plots.boxes import Boxes, GanttBars, busy_shares
from schedlab.history.web.plots.look import milliseconds, time_figure
from schedlab.history.web.plots.timeline import COLOURS
from schedlab.viz.colours import OTHERS

MOST_BOXES = 4_000
"""The largest number of jobs to draw: more look alike, and a browser is slow with them."""
_MOST_NAMES = 40
_SHADES = tuple(f"#4477aa{round(255 * share):02x}" for share in np.linspace(0, 1, 65))


def gantt_figure(
    boxes: Boxes, bars: GanttBars, nodes: Sequence[str], span_s: tuple[int, int]
) -> Any:
    """Draw a Gantt chart, nodes upwards and time to the right.

    Args:
        boxes: the nodes of the jobs.
        bars: the jobs.
        nodes: the names of the nodes, from below.
        span_s: the time that is shown, in epoch seconds.
    """
    height = int(np.clip(90 + 16 * len(nodes), 160, 520))
    y_range = (-0.5, len(nodes) - 0.5)
    plot = time_figure(height, *span_s, y_range=y_range, y_axis_label="node")
    plot.grid.grid_line_color = None
    every = -(-len(nodes) // _MOST_NAMES)
    plot.yaxis.ticker = FixedTicker(ticks=list(range(0, len(nodes), every)))
    plot.yaxis.major_label_overrides = {
        place: nodes[place] for place in range(0, len(nodes), every)
    }
    if len(boxes) <= MOST_BOXES:
        _draw_boxes(plot, boxes, bars)
    else:
        _draw_shares(plot, busy_shares(boxes, bars, len(nodes), span_s), len(nodes), span_s)
    return plot


def user_colours(boxes: Boxes, bars: GanttBars) -> dict[str, str]:
    """Return the colour of each user's jobs, users with most work first.

    Users for whom no colour is left share the last one.

    The result is empty if there are too many jobs to draw one by one.
    """
    if len(boxes) > MOST_BOXES:
        return {}
    users, of_job = np.unique(list(bars.user), return_inverse=True)
    work = np.bincount(
        of_job[boxes.job],
        (boxes.last - boxes.first + 1) * (bars.end_s - bars.start_s)[boxes.job],
        minlength=len(users),
    )
    order = [str(users[place]) for place in np.argsort(-work, kind="stable")]
    return dict(zip(order, [*COLOURS, *[OTHERS] * len(order)], strict=False))


def _draw_boxes(plot: Any, boxes: Boxes, bars: GanttBars) -> None:
    colour, job = user_colours(boxes, bars), boxes.job
    source = {
        "left": milliseconds(bars.start_s[job]),
        "right": milliseconds(bars.end_s[job]),
        "bottom": boxes.first - 0.5,
        "top": boxes.last + 0.5,
        "colour": [colour[bars.user[each]] for each in job],
        "job": [bars.jobid[each] for each in job],
        "user": [bars.user[each] for each in job],
        "nodes": boxes.last - boxes.first + 1,
        "wait": bars.wait_s[job] / 3600,
        "ran": (bars.end_s - bars.start_s)[job] / 3600,
    }
    plot.quad(
        "left",
        "right",
        "top",
        "bottom",
        source=source,
        fill_color="colour",
        fill_alpha=0.65,
        line_color="colour",
        line_width=1,
    )
    about = [
        ("job", "@job"),
        ("user", "@user"),
        ("nodes here", "@nodes"),
        ("waited", "@wait{0.00} h"),
        ("ran", "@ran{0.00} h"),
    ]
    plot.add_tools(HoverTool(tooltips=about, visible=False))


def _draw_shares(
    plot: Any, shares: NDArray[np.float64], nodes: int, span_s: tuple[int, int]
) -> None:
    from_s, to_s = span_s
    plot.image(
        [np.round(100 * shares).astype(np.uint8)],
        x=1e3 * from_s,
        y=-0.5,
        dw=1e3 * (to_s - from_s),
        dh=nodes,
        color_mapper=LinearColorMapper(palette=_SHADES, low=0, high=100),
    )
    about = [("time", "$x{%F %R}"), ("busy", "@image %")]
    plot.add_tools(HoverTool(tooltips=about, formatters={"$x": "datetime"}, visible=False))
