"""The look of the report's figures."""

from __future__ import annotations

from typing import Any, Literal

from bokeh.models import (
    BasicTickFormatter,
    BoxZoomTool,
    NumeralTickFormatter,
    WheelZoomTool,
)
from bokeh.plotting import figure

from schedlab.viz.time_axis import TimeAxis

_GREY = "#555555"


def new_figure(height: int, *, along: Literal["both", "width"] = "both", **options: Any) -> Any:
    """Return an empty figure as wide as the page.

    Dragging zooms, and so does the wheel once it is switched on.
    """
    plot = figure(
        height=height,
        sizing_mode="stretch_width",
        tools="xpan,reset,save" if along == "width" else "pan,reset,save",
        toolbar_location="right",
        **options,
    )
    zoom = BoxZoomTool(dimensions=along)
    plot.add_tools(zoom, WheelZoomTool(dimensions=along))
    plot.toolbar.active_drag = zoom
    plot.toolbar.logo = None
    plot.outline_line_color = None
    plot.background_fill_color = plot.border_fill_color = None  # the page may be dark
    plot.grid.grid_line_color = "#e5e5e5"
    plot.axis.axis_line_color = _GREY
    plot.axis.major_tick_line_color = _GREY
    plot.axis.minor_tick_line_color = None
    plot.axis.axis_label_text_font_style = "normal"
    plot.axis.axis_label_text_font_size = "12px"
    plot.axis.major_label_text_font_size = "11px"
    return plot


def time_figure(height: int, axis: TimeAxis, x_range: Any = None, **options: Any) -> Any:
    """Return a figure over time; those that share ``x_range`` move together."""
    span = x_range or (axis.begin, axis.end)
    kind = "datetime" if axis.dates else "linear"
    plot = new_figure(height, along="width", x_range=span, x_axis_type=kind, **options)
    plot.xaxis.axis_label = axis.label
    if not axis.dates:
        plot.xaxis.formatter = BasicTickFormatter(use_scientific=False)
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
    # The same width for all labels keeps the time axes of all figures in line.
    plot.min_border_left = 80
    return plot


def time_tooltip(field: str, axis: TimeAxis) -> tuple[str, dict[str, Any]]:
    """Return how a tooltip writes a time: the text, and the formatters that it needs."""
    return (f"{field}{{%F %T}}", {field: "datetime"}) if axis.dates else (f"{field}{{0.00}}", {})


def legend_above(plot: Any) -> None:
    """Move the legend above the figure; a click on a name hides its lines."""
    legend = plot.legend[0]
    plot.add_layout(legend, "above")
    legend.orientation = "horizontal"
    legend.click_policy = "hide"
    legend.border_line_color = None
    legend.background_fill_alpha = 0
    legend.label_text_font_size = "12px"
    legend.location = "top_left"
    legend.padding = legend.margin = 0
    legend.spacing = 14
