"""Jobs by hour of submission, weekday, size and run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import FixedTicker, HoverTool, NumeralTickFormatter

from schedlab.analysis import ArrivalPattern, Histogram
from schedlab.analysis.arrivals import WEEKDAYS
from schedlab.viz.colours import STRONG
from schedlab.viz.report.style import new_figure
from schedlab.viz.time_axis import DURATION_TICKS

_HEIGHT = 280


def hour_figure(arrivals: ArrivalPattern) -> Any:
    """Draw the submissions in each hour of the day."""
    names = [f"{hour:02d}" for hour in range(24)]
    return _bars(names, arrivals.by_hour, f"hour of the day ({arrivals.zone})", "jobs submitted")


def weekday_figure(arrivals: ArrivalPattern) -> Any:
    """Draw the submissions on each day of the week."""
    return _bars(WEEKDAYS, arrivals.by_weekday, "day of the week", "jobs submitted")


def size_figure(sizes: Histogram) -> Any:
    """Draw jobs by powers of two of nodes."""
    names = [
        f"{high}" if high <= 2 else f"{low + 1}-{high}"
        for low, high in zip(sizes.edges[:-1], sizes.edges[1:], strict=True)
    ]
    plot = _bars(names, sizes.jobs, "size of the job (nodes, as the trace counts them)", "jobs")
    plot.xaxis.major_label_orientation = 0.6
    return plot


def run_time_figure(run_times: Histogram) -> Any:
    """Draw jobs by run time, in classes each twice as long as the one before."""
    low, high = list(run_times.edges[:-1]), list(run_times.edges[1:])
    plot = new_figure(
        _HEIGHT,
        x_axis_type="log",
        x_range=(0.5, max(high[-1], 10)),
        x_axis_label="run time",
        y_axis_label="jobs",
    )
    source = {
        "low": low,
        "left": [max(edge, 0.5) for edge in low],
        "high": high,
        "jobs": run_times.jobs,
    }
    plot.quad("left", "high", "jobs", 0, source=source, color=STRONG[0], line_color="white")
    plot.xaxis.ticker = FixedTicker(ticks=list(DURATION_TICKS))
    plot.xaxis.major_label_overrides = DURATION_TICKS
    _finish(plot, [("above", "@low{0,0} s"), ("up to", "@high{0,0} s"), ("jobs", "@jobs{0,0}")])
    return plot


def _bars(names: Sequence[str], jobs: Sequence[int], x_label: str, y_label: str) -> Any:
    plot = new_figure(_HEIGHT, x_range=list(names), x_axis_label=x_label, y_axis_label=y_label)
    source = {"name": list(names), "jobs": list(jobs)}
    plot.vbar(x="name", top="jobs", width=0.8, source=source, color=STRONG[0])
    plot.xgrid.grid_line_color = None
    _finish(plot, [("", "@name"), ("jobs", "@jobs{0,0}")])
    return plot


def _finish(plot: Any, about: list[tuple[str, str]]) -> None:
    plot.y_range.start = 0
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
    plot.add_tools(HoverTool(tooltips=about, visible=False))
