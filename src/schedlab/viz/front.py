"""Two metrics of many policies, and those that no other beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError
from schedlab.viz.colours import policy_colour
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Point:
    """A policy, and its values of two metrics."""

    name: str
    x: float
    y: float


def front(
    points: Sequence[Point], *, smaller_x_is_better: bool, smaller_y_is_better: bool
) -> list[Point]:
    """Return Pareto's front: the points that no other matches in both and beats in one."""
    x_sign = 1 if smaller_x_is_better else -1
    y_sign = 1 if smaller_y_is_better else -1
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (x_sign * p.x, y_sign * p.y)):
        if not kept or y_sign * point.y < y_sign * kept[-1].y:
            kept.append(point)
    return kept


def draw_front(
    points: Sequence[Point],
    *,
    x_label: str,
    y_label: str,
    smaller_x_is_better: bool,
    smaller_y_is_better: bool,
    width_in: float = 6.0,
) -> Figure:
    """Draw a mark with its name for each policy, and a line through those on the front.

    A metric of which less is better is drawn on a logarithmic scale: waits and slowdowns differ
    by factors.

    Args:
        points: the policies.
        x_label: name of the metric to the right.
        y_label: name of the metric upwards.
        smaller_x_is_better: whether less of the metric to the right is better.
        smaller_y_is_better: the same for the metric upwards.
        width_in: width of the picture.
    """
    if not points:
        raise ParameterError("a front needs at least one policy")
    best = front(
        points, smaller_x_is_better=smaller_x_is_better, smaller_y_is_better=smaller_y_is_better
    )
    with paper_style():
        figure, [axes] = panels(1, 1, width_in, width_in * 0.7)
        axes.plot([p.x for p in best], [p.y for p in best], color=policy_colour(1), zorder=1)
        for point in points:
            _mark(axes, point, on_front=point in best)
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.set_xscale("log" if smaller_x_is_better else "linear")
        axes.set_yscale("log" if smaller_y_is_better else "linear")
        axes.margins(0.12)
        axes.grid()
    return figure


def _mark(axes: Axes, point: Point, *, on_front: bool) -> None:
    colour = policy_colour(1) if on_front else policy_colour(0)
    axes.plot(point.x, point.y, "o", color=colour, ms=4, zorder=2)
    axes.annotate(
        point.name, (point.x, point.y), xytext=(5, -9), textcoords="offset points", fontsize="small"
    )
