"""Utilisation and queue over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.sim import Schedule, StepSeries
from schedlab.sim.node_shares import busy_nodes
from schedlab.viz.colours import policy_colour, policy_dash
from schedlab.viz.curves import band
from schedlab.viz.paper import checked, count_axis, panels, paper_style, top_legend
from schedlab.viz.time_axis import TimeAxis, label_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 240
"""Number of spans of time; a printed column shows no more."""


def draw_over_time(
    schedules: Sequence[Schedule], *, width_in: float = 7.0, height_in: float = 4.0
) -> Figure:
    """Draw nodes in use above, jobs waiting below, one line per policy.

    Where there is more to show than fits, a line is the mean of each of ``BINS`` spans of time
    and the shade around it reaches from the least to the greatest value; nodes in use are shaded
    only if there is one policy.
    """
    axis = TimeAxis.over(checked(schedules))
    with paper_style():
        figure, (used, queue) = panels(2, 1, width_in, height_in, sharex=True)
        for place, schedule in enumerate(schedules):
            _draw(used, busy_nodes(schedule), axis, schedule.policy, place, len(schedules) == 1)
            _draw(queue, schedule.queue_length(), axis, schedule.policy, place, True)
        nodes = max(schedule.platform.nodes for schedule in schedules)
        used.axhline(nodes, color="#444444", linewidth=0.6, linestyle=(0, (4, 3)))
        used.text(
            axis.end, nodes, f"capacity: {nodes:,} nodes ", ha="right", va="bottom", fontsize=7
        )
        used.set(ylabel="nodes in use", ylim=(0, nodes * 1.15), xlim=(axis.begin, axis.end))
        queue.set(ylabel="jobs waiting")
        label_time(queue, axis)
        queue.set_ylim(0, max(1.0, queue.get_ylim()[1]))
        for axes in (used, queue):
            axes.grid(axis="y")
            count_axis(axes)
        top_legend(figure, used)
    return figure


def _draw(
    axes: Axes, series: StepSeries, axis: TimeAxis, label: str, place: int, shaded: bool
) -> None:
    shown, colour = band(series, axis, BINS), policy_colour(place)
    if shaded:
        axes.stairs(
            shown.greatest,
            shown.place,
            baseline=shown.least,
            fill=True,
            color=colour,
            alpha=0.2,
            linewidth=0,
        )
    axes.stairs(
        shown.mean,
        shown.place,
        baseline=None,
        color=colour,
        linestyle=policy_dash(place),
        label=label,
        linewidth=0.9,
    )
