"""What predictions are worth: results against the error of the predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError
from schedlab.viz.colours import policy_colour
from schedlab.viz.importance import MeanAndInterval
from schedlab.viz.paper import panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = ("^", "s", "D", "v", "P", "X", "*")


@dataclass(frozen=True)
class ErrorPoint:
    """The results of a policy with a predictor.

    Args:
        policy: its name.
        predictor: the predictor of run times.
        error: the error of the predictions.
        values: a mean with its interval for each measure, by its name.
    """

    policy: str
    predictor: str
    error: float
    values: Mapping[str, MeanAndInterval]


def draw_prediction_error(
    points: Sequence[ErrorPoint], noise: Sequence[str], *, error: str, width_in: float = 7.0
) -> Figure:
    """Draw a panel per measure, the error of the predictions to the right, a colour per policy.

    Args:
        points: the points of each policy with each predictor.
        noise: predictors that a line joins, from the truth to the largest error; the others have
            a mark each.
        error: the name of the error.
        width_in: width of the picture.
    """
    if not points:
        raise ParameterError("a picture of prediction errors needs at least one point")
    policies = list(dict.fromkeys(point.policy for point in points))
    others = [name for name in dict.fromkeys(p.predictor for p in points) if name not in noise]
    marks = {name: _MARKERS[place % len(_MARKERS)] for place, name in enumerate(others)}
    with paper_style():
        figure, axes = panels(1, len(points[0].values), width_in, 3.1)
        for panel, measure in zip(axes, points[0].values, strict=True):
            for place, policy in enumerate(policies):
                of_policy = [point for point in points if point.policy == policy]
                _draw_policy(panel, of_policy, measure, marks, policy_colour(place))
            panel.set(title=measure, xlabel=error)
            panel.set_xlim(left=0)
            panel.grid()
        for name, marker in marks.items():
            axes[0].plot([], [], marker, color="#666666", markersize=4, label=name)
        figure.legend(
            loc="outside upper center", ncols=4, handles=axes[0].get_legend_handles_labels()[0]
        )
    return figure


def _draw_policy(
    axes: Axes, points: Sequence[ErrorPoint], measure: str, marks: Mapping[str, str], colour: str
) -> None:
    noise = sorted((each for each in points if each.predictor not in marks), key=lambda p: p.error)
    axes.plot(
        [point.error for point in noise],
        [point.values[measure][0] for point in noise],
        "o-",
        markersize=2.5,
        color=colour,
        label=f"{points[0].policy}, truth with noise",
    )
    for point in points:
        mean, low, high = point.values[measure]
        if not math.isnan(low):
            axes.plot([point.error] * 2, [low, high], color=colour, linewidth=0.5, alpha=0.6)
        if point.predictor in marks:
            axes.plot([point.error], [mean], marks[point.predictor], color=colour, markersize=4)
