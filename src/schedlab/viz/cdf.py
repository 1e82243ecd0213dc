"""Distributions of wait and slowdown over jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.metrics import JobMetric, find_job_metric
from schedlab.sim import Schedule
from schedlab.viz.colours import policy_colour, policy_dash
from schedlab.viz.curves import cumulative, upper_end
from schedlab.viz.paper import checked, panels, paper_style, top_legend
from schedlab.viz.time_axis import DURATION_TICKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 600
"""The largest number of points of a curve; each point is exact."""

NARROW_IN = 2.5
"""Below this width a panel has room for every other duration only."""

LEAST = 1.0
"""Where the logarithmic axes begin: 1 s of waiting, a slowdown of 1."""


def draw_cdf(
    schedules: Sequence[Schedule],
    metrics: Sequence[str] = ("wait", "bounded_slowdown"),
    *,
    width_in: float = 7.0,
    height_in: float = 2.8,
) -> Figure:
    """Draw the share of jobs at or below each value, one panel per metric, one line per policy.

    The axis is logarithmic and begins at 1; the height of a line there is the share of jobs with
    less, such as those that did not wait at all.
    """
    with paper_style():
        figure, axes = panels(1, len(metrics), width_in, height_in, sharey=True)
        for panel, name in zip(axes, metrics, strict=True):
            _draw_panel(
                panel, name, find_job_metric(name), checked(schedules), width_in / len(metrics)
            )
        axes[0].set_ylabel("share of jobs")
        top_legend(figure, axes[0])
    return figure


def _draw_panel(
    axes: Axes, name: str, metric: JobMetric, schedules: Sequence[Schedule], width_in: float
) -> None:
    from matplotlib.ticker import StrMethodFormatter

    values = [metric.of_jobs(schedule) for schedule in schedules]
    right = upper_end(values, LEAST * 10)
    for place, (schedule, of_jobs) in enumerate(zip(schedules, values, strict=True)):
        axes.step(
            *cumulative(of_jobs, LEAST, right, POINTS),
            where="post",
            color=policy_colour(place),
            linestyle=policy_dash(place),
            label=schedule.policy,
        )
    axes.set(xscale="log", xlim=(LEAST, right), ylim=(0, 1.02), xlabel=name.replace("_", " "))
    axes.grid(which="major")
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if metric.unit == "s":
        shown = {s: text for s, text in DURATION_TICKS.items() if s <= right}
        is_narrow = width_in < NARROW_IN
        places = list(shown)[:: 2 if is_narrow else 1]
        axes.set_xticks(places, [shown[place] for place in places])
