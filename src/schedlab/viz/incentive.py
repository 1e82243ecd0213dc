"""Users as points: the accuracy of their requests against what they suffer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.metrics import METRICS, incentive_points
from schedlab.metrics.incentive import MEASURES
from schedlab.sim import Schedule
from schedlab.viz.colours import OTHERS, policy_colour
from schedlab.viz.paper import checked, panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = ("o", "^", "s", "D", "v", "P", "X")

_TITLES = {"wait": "wait per node", "delay": "delay", "slowdown": "slowdown"}


def draw_incentive(
    schedules: Sequence[Schedule], *, width_in: float = 7.0, height_in: float = 3.1
) -> Figure:
    """Draw a panel per measure, a dot per user with at least ten jobs, a colour per policy.

    Upwards is the user's WRSA, to the right the mean of the measure over the user's jobs, from 0
    for the user who fares best under the policy to 1 for the one who fares worst. On the dashed
    line, y = 1 − x, users get what they deserve; above it they suffer more. ρ is the rank
    correlation under each policy, negative where the accurate fare better (Takizawa and Takano,
    Figures 5-6).
    """
    checked(schedules)
    with paper_style():
        figure, axes = panels(1, len(MEASURES), width_in, height_in, sharex=True, sharey=True)
        for panel, measure in zip(axes, MEASURES, strict=True):
            _draw_panel(panel, measure, schedules)
        axes[0].set_ylabel("WRSA of the user")
        dots, names = axes[0].get_legend_handles_labels()
        figure.legend(dots, names, loc="outside upper center", ncols=2)
    return figure


def _draw_panel(axes: Axes, measure: str, schedules: Sequence[Schedule]) -> None:
    axes.plot([0, 1], [1, 0], color=OTHERS, linestyle="--", linewidth=0.8, zorder=1)
    for place, schedule in enumerate(schedules):
        points = incentive_points(schedule, measure)
        axes.scatter(
            points["scaled"],
            points["wrsa"],
            s=16,
            marker=_MARKERS[place % len(_MARKERS)],
            facecolor="none",
            edgecolor=policy_colour(place),
            linewidth=0.8,
            label=schedule.policy,
        )
    _write_correlations(axes, measure, schedules)
    axes.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04), aspect="equal")
    axes.set_title(_TITLES[measure], pad=15)
    axes.set_xlabel("best-off to worst-off user")


def _write_correlations(axes: Axes, measure: str, schedules: Sequence[Schedule]) -> None:
    """Write the rank correlation under each policy, in a row between title and panel."""
    values = [METRICS[f"incentive_{measure}"].value(schedule) for schedule in schedules]
    texts = [("ρ", "#444444")] + [
        ("–" if math.isnan(value) else f"{value:.2f}".replace("-", "−"), policy_colour(place))
        for place, value in enumerate(values)
    ]
    for place, (text, colour) in enumerate(texts):
        axes.annotate(
            text,
            ((place + 0.5) / len(texts), 1),
            xycoords="axes fraction",
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=7,
            color=colour,
        )
