"""Gantt chart, to explore: every job if there are few, else the occupancy as an image."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from bokeh.models import CustomJSHover, FixedTicker, HoverTool, LinearColorMapper
from numpy.typing import NDArray

from schedlab.platform import Platform
from schedlab.sim import Schedule
from schedlab.viz.bars import bars_of
from schedlab.viz.colours import JobColours, job_colours, usual_colouring
from schedlab.viz.occupancy import mixed_colours, occupancy
from schedlab.viz.report.style import time_figure, time_tooltip
from schedlab.viz.time_axis import TimeAxis

MAX_RECTANGLES = 8000
_COLUMNS, _ROWS = 1600, 320
_LEVELS = 31
_DECODE = """
if (value == 0) return "idle"
const level = (value - 1) % levels
const main = names[Math.floor((value - 1) / levels)]
return `${Math.round(100 * (level + 1) / levels)}% busy, mostly ${title} ${main}`
"""


def gantt_figure(schedule: Schedule, axis: TimeAxis, x_range: Any) -> Any:
    """Draw nodes upwards, time to the right, coloured by clusters, user or size."""
    schedule = schedule.by_attempt()
    schedule = replace(schedule, node_ranges=schedule.named_nodes())
    nodes = schedule.platform.nodes
    plot = time_figure(
        min(360, 120 + 8 * nodes), axis, x_range, y_range=(-0.5, nodes - 0.5), y_axis_label="node"
    )
    plot.grid.grid_line_color = None
    few = len(schedule.named_nodes().first) <= MAX_RECTANGLES
    colours = job_colours(schedule, usual_colouring(schedule))
    (_draw_rectangles if few else _draw_image)(plot, schedule, colours, axis)
    if len(schedule.platform.clusters) > 1:
        _mark_clusters(plot, schedule.platform)
    return plot


def _mark_clusters(plot: Any, platform: Platform) -> None:
    """Draw lines between the clusters, and their names in place of the numbers of nodes."""
    bounds = np.cumsum([0, *(cluster.nodes for cluster in platform.clusters)]) - 0.5
    middles = ((bounds[:-1] + bounds[1:]) / 2).tolist()
    plot.hspan(y=bounds[1:-1].tolist(), line_dash="dotted", line_color="#333333")
    plot.yaxis.axis_label, plot.yaxis.ticker = "cluster", FixedTicker(ticks=middles)
    names = [cluster.name for cluster in platform.clusters]
    plot.yaxis.major_label_overrides = dict(zip(middles, names, strict=True))


def _draw_rectangles(plot: Any, schedule: Schedule, colours: JobColours, axis: TimeAxis) -> None:
    bars = bars_of(schedule)
    job = bars.job
    workload = schedule.workload
    source = {
        "left": axis.places(schedule.start_s[job]),
        "right": axis.places(schedule.end_s[job]),
        "bottom": bars.bottom,
        "top": bars.top,
        "colour": np.array(colours.colours)[colours.of_job[job]].tolist(),
        "job": schedule.job_id[job].tolist(),
        "user": workload.labelled("user")[job].tolist(),
        "nodes": workload["nodes"][job],
        "wait": schedule.wait_s[job].astype(float),
        "ran": schedule.ran_s[job].astype(float),
    }
    plot.quad(
        "left",
        "right",
        "top",
        "bottom",
        source=source,
        fill_color="colour",
        line_color="#333333",
        line_alpha=0.6,
        line_width=0.3,
    )
    about = [
        ("job", "@job"),
        ("user", "@user"),
        ("nodes", "@nodes"),
        ("waited", "@wait{0,0} s"),
        ("ran", "@ran{0,0} s"),
    ]
    plot.add_tools(HoverTool(tooltips=about, visible=False))


def _draw_image(plot: Any, schedule: Schedule, colours: JobColours, axis: TimeAxis) -> None:
    nodes = schedule.platform.nodes
    window, shape = schedule.horizon_s(), (min(nodes, _ROWS), _COLUMNS)
    left, right = axis.at(window[0]), axis.at(window[1])
    shares = occupancy(schedule, colours.of_job, len(colours.colours), window, shape)
    plot.image(
        [_indexed(shares)],
        x=left,
        y=-0.5,
        dw=right - left,
        dh=nodes,
        color_mapper=LinearColorMapper(palette=_palette(colours), low=0, high=255),
    )
    decode = CustomJSHover(
        args={"levels": _LEVELS, "names": list(colours.names), "title": colours.title}, code=_DECODE
    )
    time, formatters = time_tooltip("$x", axis)
    about = [("time", time), ("node", "$y{0}"), ("", "@image{custom}")]
    formatted = {"@image": decode, **formatters}
    plot.add_tools(HoverTool(tooltips=about, formatters=formatted, visible=False))


def _indexed(shares: NDArray[Any]) -> NDArray[np.uint8]:
    """Return one byte per pixel: 0 if idle, else main class and use, in ``_LEVELS``."""
    busy = np.minimum(shares.sum(axis=0), 1.0)
    level = np.ceil(np.round(busy * _LEVELS, 4)).astype(np.int64)
    main = shares.argmax(axis=0)
    return np.where(level > 0, main * _LEVELS + level, 0).astype(np.uint8)


def _palette(colours: JobColours) -> list[str]:
    """Return the colour of each byte that ``_indexed`` gives."""
    count = len(colours.colours)
    shares = np.zeros((count, count, _LEVELS))
    for place in range(count):
        shares[place, place] = np.arange(1, _LEVELS + 1) / _LEVELS
    rgb = (mixed_colours(shares, colours.colours).reshape(-1, 3) * 255).round().astype(int)
    used = ["#ffffff", *(f"#{r:02x}{g:02x}{b:02x}" for r, g, b in rgb)]
    return used + ["#ffffff"] * (256 - len(used))
