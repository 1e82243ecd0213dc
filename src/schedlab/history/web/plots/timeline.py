"""Figures of timelines: a line for each host, or a band if there are many."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from schedlab.history.web.plots.embed import figure_data

COLOURS = (
    "#4477aa",
    "#ee6677",
    "#2a9d58",
    "#c9a227",
    "#35b4d8",
    "#b8509a",
    "#8a8f2a",
    "#ee8866",
)
"""The colours of lines, on a light and on a dark background."""

DASHES: tuple[tuple[int, ...], ...] = ((), (8, 3), (3, 3), (10, 3, 2, 3)) * 2
"""The dashes of lines: the gaps of one show the lines that it covers."""

MOST_LINES = len(COLOURS)
"""The largest number of lines in one figure; more become a band."""

BAND = "band"
_HEIGHT = 180
_BELOW_ZERO = ("°C",)
_NO_END = 1e300


@lru_cache
def timeline_data(lines: int, unit: str, *, over: str = "time") -> Any:
    """Return ``timeline_figure`` as JSON.

    It is cached: Bokeh takes long to make a figure, and many pages have the same one.
    """
    return figure_data(timeline_figure(lines, unit, over=over))


def timeline_figure(lines: int, unit: str, *, over: str = "time") -> Any:
    """Return an empty figure that a script fills: its range, its names and its sources.

    The sources are ``line-0``, ``line-1`` and so on, or ``band``, each of columns ``t`` and ``v``.

    Args:
        lines: the number of lines; more than ``MOST_LINES`` make a band of the least, the median
            and the greatest.
        unit: the unit of the values.
        over: ``time``, in milliseconds of the epoch, or ``share`` of the run time, in percent.
    """
    from bokeh.models import ColumnDataSource

    figure = _frame(unit, over)
    if lines > MOST_LINES:
        _draw_band(figure, ColumnDataSource({"t": [], "low": [], "v": [], "high": []}, name=BAND))
    for place, (colour, dash) in enumerate(_looks(lines)):
        source = ColumnDataSource({"t": [], "v": []}, name=f"line-{place}")
        figure.line("t", "v", source=source, color=colour, line_width=1.6, line_dash=list(dash))
    if unit not in _BELOW_ZERO:
        _leave_room_at_zero(figure)
    return figure


def _looks(lines: int) -> list[tuple[str, tuple[int, ...]]]:
    """Return the colour and the dashes of each line; a band has none."""
    return [] if lines > MOST_LINES else list(zip(COLOURS[:lines], DASHES, strict=False))


def _frame(unit: str, over: str) -> Any:
    from bokeh.models import BasicTicker, DataRange1d, NoOverlap, Range1d
    from bokeh.plotting import figure as new_figure

    values = DataRange1d(default_span=1, range_padding=0.08)
    figure = new_figure(
        height=_HEIGHT,
        sizing_mode="stretch_width",
        x_axis_type="datetime" if over == "time" else "linear",
        x_range=Range1d(start=0, end=1),
        y_range=values,
        tools="xbox_zoom",
        toolbar_location=None,
        y_axis_label=unit,
        x_axis_label=None if over == "time" else "share of the run time (%)",
        min_border_right=12,
        outline_line_color=None,
    )
    figure.xgrid.grid_line_color = None
    figure.xaxis.major_label_policy = NoOverlap(min_distance=8)
    figure.yaxis.ticker = BasicTicker(desired_num_ticks=4)
    return figure


def _leave_room_at_zero(figure: Any) -> None:
    """Begin the axis a little below 0, so that a line at 0, as of an idle GPU, can be seen."""
    figure.scatter([0], [0], size=0, fill_alpha=0, line_alpha=0)  # the range must hold it
    figure.yaxis.bounds = figure.ygrid.bounds = (0, _NO_END)


def _draw_band(figure: Any, source: Any) -> None:
    colour = COLOURS[0]
    figure.varea("t", "low", "high", source=source, fill_color=colour, fill_alpha=0.25)
    figure.line("t", "v", source=source, color=colour, line_width=1.8)
