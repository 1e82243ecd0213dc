"""What users request, and how much of it jobs use."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import FixedTicker, HoverTool, LogColorMapper, NumeralTickFormatter
from bokeh.models.annotations import ColorBar
from bokeh.palettes import Viridis256

from schedlab.analysis.requests import HOUR_S, Requests
from schedlab.units import whole_duration
from schedlab.viz.analysis.tables import MAX_SPIKES
from schedlab.viz.colours import STRONG
from schedlab.viz.report.style import new_figure

_TICKS_S = (60, 300, 900, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600, 240 * 3600, 900 * 3600)
_NAMED_SHARE = 0.01
_WIDTH_PX, _HEIGHT_PX = 1000, 250
_HALF_LETTER_PX, _LINE_PX = 3.0, 14
"""Approximate sizes of the figure of spikes and of text, to see whether names have room."""


def density_figure(requests: Requests) -> Any:
    """Draw all jobs by requested time and WRA; the darker, the more jobs."""
    density = requests.density
    edges, parts = np.array(density.request_edges_s), np.array(density.wra_edges)
    jobs = np.array(density.jobs)
    row, column = np.nonzero(jobs)
    source = {
        "left": edges[row],
        "right": edges[row + 1],
        "bottom": parts[column],
        "top": parts[column + 1],
        "jobs": jobs[row, column],
    }
    last = max(edges[-1], requests.by_hour["request_h"].to_numpy().max() * HOUR_S)
    span = (edges[0] / 1.1, 1.1 * last)
    plot = _request_figure(340, span, y_range=(0, 1), y_axis_label="WRA of the job")
    mapper = LogColorMapper(palette=Viridis256[::-1], low=1, high=max(2, int(jobs.max())))
    colour = {"field": "jobs", "transform": mapper}
    plot.quad("left", "right", "top", "bottom", source=source, fill_color=colour, line_color=None)
    about = [
        ("requested", "@left{00:00:00} to @right{00:00:00}"),
        ("WRA", "@bottom{0.00} to @top{0.00}"),
        ("jobs", "@jobs{0,0}"),
    ]
    plot.add_tools(HoverTool(tooltips=about, visible=False))
    plot.add_layout(ColorBar(color_mapper=mapper, height=8, title="jobs"), "above")
    return plot


def hourly_figure(requests: Requests, x_range: Any) -> Any:
    """Draw the mean WRA of the jobs in each hour of request.

    The larger the dot, the more jobs.
    """
    hours = requests.by_hour
    jobs = hours["jobs"].to_numpy()
    source = {
        "hour": hours["request_h"].to_numpy(),
        "time": hours["request_h"].to_numpy() * HOUR_S,
        "mean": hours["mean_wra"].to_numpy(),
        "jobs": jobs,
        "foot": np.zeros(len(jobs)),
        "size": 4 + 2.5 * np.log10(jobs),
    }
    plot = _request_figure(260, x_range, y_axis_label="mean WRA of the hour")
    plot.segment("time", "foot", "time", "mean", source=source, color=STRONG[0], line_alpha=0.5)
    dots = plot.scatter("time", "mean", source=source, color=STRONG[0], size="size")
    plot.hspan(y=[requests.mean_wra], line_dash="dashed", line_color="black")
    plot.y_range.start = 0
    about = [("hour of request", "@hour"), ("mean WRA", "@mean{0.000}"), ("jobs", "@jobs{0,0}")]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=about, visible=False))
    return plot


def spikes_figure(requests: Requests) -> Any:
    """Draw a line for each requested time, as high as the number of jobs that request it.

    The common ones have names.
    """
    shown = requests.commonest.head(MAX_SPIKES)
    times, jobs = shown["request_s"].to_numpy(), shown["jobs"].to_numpy()
    span = (times.min() / 1.3, times.max() * 1.3)
    plot = _request_figure(
        340,
        span,
        y_axis_type="log",
        y_range=(0.8, 2.5 * float(jobs.max())),
        y_axis_label="jobs that request exactly this",
    )
    source = {
        "time": times,
        "jobs": jobs,
        "foot": np.full(len(times), 0.8),
        "share": shown["share"].to_numpy(),
        "name": [whole_duration(each) for each in times.tolist()],
    }
    plot.segment("time", "foot", "time", "jobs", source=source, color=STRONG[0], line_width=1.5)
    dots = plot.scatter("time", "jobs", source=source, color=STRONG[0], size=5)
    about = [("requested", "@name"), ("jobs", "@jobs{0,0}"), ("share", "@share{0.00%}")]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=about, visible=False))
    named = _named(requests)
    plot.text(
        "request_s",
        "jobs",
        "name",
        source=named,
        y_offset=-6,
        text_align="center",
        text_font_size="12px",
    )
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
    return plot


def _named(requests: Requests) -> dict[str, list[Any]]:
    """Return the spikes that get a name: those that are common and leave room for it."""
    common = requests.commonest.head(MAX_SPIKES)
    times, jobs = np.log(common["request_s"].to_numpy()), np.log(common["jobs"].to_numpy())
    x = (times - times.min()) / max(np.ptp(times), 0.1) * _WIDTH_PX
    y = jobs / max(jobs.max(), 0.1) * _HEIGHT_PX
    names = [whole_duration(each) for each in common["request_s"].to_list()]
    half = np.array([_HALF_LETTER_PX * len(name) for name in names])
    chosen: list[int] = []
    for place in np.flatnonzero(common["share"].to_numpy() >= _NAMED_SHARE).tolist():
        across, down = np.abs(x[chosen] - x[place]), np.abs(y[chosen] - y[place])
        uncrossed = across >= half[place]
        untouched = (across >= half[place] + half[chosen]) | (down >= _LINE_PX)
        if np.all(uncrossed & untouched):
            chosen.append(place)
    return {
        "request_s": common["request_s"][chosen].to_list(),
        "jobs": common["jobs"][chosen].to_list(),
        "name": [names[place] for place in chosen],
    }


def _request_figure(height: int, x_range: Any, **options: Any) -> Any:
    plot = new_figure(
        height, x_axis_type="log", x_range=x_range, x_axis_label="requested time", **options
    )
    plot.xaxis.ticker = FixedTicker(ticks=list(_TICKS_S))
    plot.xaxis.major_label_overrides = {time_s: whole_duration(time_s) for time_s in _TICKS_S}
    # The same width for all labels keeps the axes of the figures in line.
    plot.min_border_left = 70
    return plot
