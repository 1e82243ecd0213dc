"""The figures of the pages: distributions over jobs, and waits over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, NumeralTickFormatter
from numpy.typing import NDArray

from schedlab.analysis import Clock
from schedlab.slurm.fidelity import FAR_S, NEAR_S
from schedlab.slurm.replay import Times
from schedlab.slurm.waits import AS_IT_WAS, CHANGED, TWIN, JobWaits
from schedlab.viz.cdf import LEAST, POINTS
from schedlab.viz.colours import STRONG
from schedlab.viz.curves import cumulative, upper_end
from schedlab.viz.report.style import legend_above, new_figure, time_figure, time_tooltip
from schedlab.viz.time_axis import DURATION_TICKS, MILLISECOND_S, TimeAxis

COLOURS = {AS_IT_WAS: "#333333", TWIN: STRONG[0], CHANGED: STRONG[1]}
PERIODS = ((86400, "day"), (3600, "hour"), (600, "10 minutes"), (60, "minute"))
FEWEST = 12
"""The least number of points of a figure over time, where the history is long enough."""
UNITS = ((7200, 3600, "h"), (300, 60, "min"), (0, 1, "s"))
"""The units of an axis: the greatest wait from which each is used, its seconds, and its name."""


def error_figure(waits: JobWaits) -> Any:
    """Return the distribution of the errors of starts."""
    (real_s,) = waits.by_name[AS_IT_WAS]
    errors = {"starts of the twin": tuple(np.abs(each - real_s) for each in waits.by_name[TWIN])}
    plot = _cdf(errors, {"starts of the twin": STRONG[0]}, "start off by at most", FAR_S * 2)
    plot.vspan(x=[NEAR_S, FAR_S], line_dash="dashed", line_color="#777777")
    return plot


def waits_figure(waits: JobWaits) -> Any:
    """Return the distribution of waits, a line for each name."""
    return _cdf(waits.by_name, COLOURS, "wait at most", LEAST * 10)


def _cdf(
    lines: Mapping[str, Sequence[Times]], colours: Mapping[str, str], label: str, least_end: float
) -> Any:
    """Draw a line for all replays together, and a shade from the least to the greatest."""
    right = upper_end([each for of_name in lines.values() for each in of_name], least_end)
    plot = new_figure(
        320,
        x_axis_type="log",
        x_range=(LEAST, right),
        y_range=(0, 1.02),
        x_axis_label=label,
        y_axis_label="share of jobs",
    )
    for name, of_name in lines.items():
        x, share = cumulative(np.concatenate(of_name), LEAST, right, POINTS)
        each = np.array([_shares(values, x) for values in of_name])
        source = _stepped(x, share, each.min(axis=0), each.max(axis=0))
        _draw(plot, source, name, colours[name], shaded=len(of_name) > 1)
        about = [("", name), ("at most", "@x{0,0} s"), ("share of jobs", "@mean{0.0%}")]
        plot.add_tools(HoverTool(renderers=plot.renderers[-1:], tooltips=about, visible=False))
    plot.xaxis.ticker = FixedTicker(ticks=list(DURATION_TICKS))
    plot.xaxis.major_label_overrides = DURATION_TICKS
    plot.yaxis.formatter = NumeralTickFormatter(format="0%")
    legend_above(plot)
    return plot


def _shares(values: Times, x: Times) -> Times:
    shares: Times = np.searchsorted(np.sort(values), x, side="right") / max(len(values), 1)
    return shares


def _stepped(x: Times, mean: Times, least: Times, most: Times) -> ColumnDataSource:
    columns = {"mean": mean, "least": least, "most": most}
    steps = {name: np.repeat(values, 2)[:-1] for name, values in columns.items()}
    return ColumnDataSource({"x": np.repeat(x, 2)[1:], **steps})


def _draw(plot: Any, source: ColumnDataSource, name: str, colour: str, *, shaded: bool) -> None:
    """Draw the mean as a line and, for several replays, a shade from the least to the most."""
    if shaded:
        plot.varea("x", "least", "most", source=source, fill_color=colour, fill_alpha=0.2)
    plot.line("x", "mean", source=source, color=colour, line_width=2, legend_label=name)


def over_time_figure(waits: JobWaits, clock: Clock | None) -> tuple[Any, str]:
    """Draw mean waits of jobs by day, hour or minute of submission; return which of them it is."""
    first_s, last_s = float(waits.submit_s.min()), float(waits.submit_s.max())
    axis = TimeAxis.on_clock(int(first_s), int(np.ceil(last_s)), clock, MILLISECOND_S)
    width_s, period = next(
        (each for each in PERIODS if last_s - first_s >= FEWEST * each[0]), PERIODS[-1]
    )
    of_job = np.floor((waits.submit_s - axis.origin_s) / width_s).astype(np.int64)
    places = of_job - of_job.min()
    jobs = np.bincount(places)
    begin_s = (of_job.min() + np.arange(len(jobs))) * float(width_s)
    means = {
        name: np.array([_means(each, places, jobs) for each in of_name])
        for name, of_name in waits.by_name.items()
    }
    greatest = max(float(np.nanmax(each)) for each in means.values())
    unit_s, unit = next(each[1:] for each in UNITS if greatest >= each[0])
    plot = time_figure(300, axis, y_axis_label=f"mean wait ({unit})")
    for name, each in means.items():
        columns = {"x": (begin_s + width_s / 2) / axis.unit_s, "jobs": jobs}
        _draw_over_time(plot, columns, each / unit_s, name, unit, axis)
    plot.min_border_left = 40
    if axis.dates:
        plot.xaxis.ticker.desired_num_ticks = 5  # more would overlap on a phone
    plot.x_range.start = begin_s[0] / axis.unit_s
    plot.x_range.end = (begin_s[-1] + width_s) / axis.unit_s
    plot.y_range.start = 0
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0.[0]")
    legend_above(plot)
    return plot, period


def _draw_over_time(
    plot: Any, columns: Mapping[str, Any], means: Times, name: str, unit: str, axis: TimeAxis
) -> None:
    """Draw the mean over replays as a line with points, and a shade for their range."""
    source = ColumnDataSource(
        {
            **columns,
            "mean": means.mean(axis=0),
            "least": means.min(axis=0),
            "most": means.max(axis=0),
        }
    )
    _draw(plot, source, name, COLOURS[name], shaded=len(means) > 1)
    # A period between two without jobs would have no line; so each has a point.
    plot.scatter("x", "mean", source=source, size=4, color=COLOURS[name], legend_label=name)
    time, formatters = time_tooltip("@x", axis)
    about = [("", name), ("time", time), ("jobs", "@jobs"), ("wait", f"@mean{{0,0.0}} {unit}")]
    plot.add_tools(
        HoverTool(
            renderers=plot.renderers[-1:], tooltips=about, formatters=formatters, visible=False
        )
    )


def _means(values: Times, places: NDArray[np.int64], jobs: NDArray[np.int64]) -> Times:
    """Return the mean of each period; nan for one without jobs."""
    sums = np.bincount(places, weights=values, minlength=len(jobs))
    means: Times = np.divide(sums, jobs, out=np.full(len(jobs), np.nan), where=jobs > 0)
    return means
