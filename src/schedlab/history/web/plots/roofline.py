"""The roofline of a job: what it computed against what it moved, below what its nodes can do."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from schedlab.history.web.plots.embed import figure_data
from schedlab.history.web.plots.timeline import COLOURS

POINTS = "points"
_INTENSITIES = (2.0**-5, 2.0**7)
_HEIGHT = 300


@lru_cache
def roofline_data(peak_flop_per_s: float | None, memory_byte_per_s: float | None) -> Any:
    """Return ``roofline_figure`` as JSON; it is cached, since most nodes are alike."""
    return figure_data(roofline_figure(peak_flop_per_s, memory_byte_per_s))


def roofline_figure(
    peak_flop_per_s: float | None = None, memory_byte_per_s: float | None = None
) -> Any:
    """Return an empty figure on logarithmic axes, whose source ``points`` a script fills.

    Williams, Waterman, Patterson: Roofline: an insightful visual performance model for multicore
    architectures, CACM 2009.

    Args:
        peak_flop_per_s: the peak rate of a node; None if unknown.
        memory_byte_per_s: the memory bandwidth of a node; None if unknown.
    """
    from bokeh.models import ColumnDataSource, HoverTool
    from bokeh.plotting import figure as new_figure

    figure = new_figure(
        height=_HEIGHT,
        sizing_mode="stretch_width",
        x_axis_type="log",
        y_axis_type="log",
        tools="",
        toolbar_location=None,
        x_axis_label="intensity (flop per byte)",
        y_axis_label="Gflop/s of a node",
        min_border_right=12,
        outline_line_color=None,
    )
    if peak_flop_per_s and memory_byte_per_s:
        intensity, gflop = roof(peak_flop_per_s, memory_byte_per_s)
        figure.line(intensity, gflop, color=COLOURS[1], line_width=2)
    source = ColumnDataSource({"intensity": [], "gflop_per_s": [], "of": []}, name=POINTS)
    points = figure.scatter(
        "intensity", "gflop_per_s", source=source, size=6, color=COLOURS[0], alpha=0.5
    )
    tooltips = [
        ("computes", "@gflop_per_s{0,0.[00]} Gflop/s"),
        ("intensity", "@intensity{0.[000]} flop/byte"),
        ("of", "@of"),
    ]
    figure.add_tools(HoverTool(tooltips=tooltips, renderers=[points]))
    return figure


def roof(peak_flop_per_s: float, memory_byte_per_s: float) -> tuple[list[float], list[float]]:
    """Return intensities and the attainable Gflop/s: first the memory is the limit, then the peak.

    The intensities include the ridge between the two limits.
    """
    ridge = peak_flop_per_s / memory_byte_per_s
    intensity = sorted({*_INTENSITIES, ridge})
    return intensity, [min(peak_flop_per_s, each * memory_byte_per_s) / 1e9 for each in intensity]
