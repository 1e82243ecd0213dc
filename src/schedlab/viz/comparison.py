"""Policies side by side, each metric relative to the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError
from schedlab.metrics import Metric, compare, find_metric
from schedlab.sim import Schedule
from schedlab.units import three_digits
from schedlab.viz.colours import OTHERS, STRONG
from schedlab.viz.labels import metric_label, value_label
from schedlab.viz.paper import checked, panels, paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

USUAL_METRICS = (
    "wait",
    "wait:percentile=95",
    "bounded_slowdown",
    "utilisation",
    "makespan",
    "loss_of_capacity",
)


def draw_comparison(
    schedules: Sequence[Schedule],
    metrics: Sequence[str] = USUAL_METRICS,
    *,
    width_in: float = 7.0,
) -> Figure:
    """Draw a panel of bars per metric, with the value at each bar and the best in colour.

    A bar's length is the value, to the left if it is negative; the number in brackets is its ratio
    to the best.
    """
    if not metrics:
        raise ParameterError("a comparison needs at least one metric")
    values = compare(checked(schedules), metrics)
    columns = min(len(metrics), 3)
    rows = math.ceil(len(metrics) / columns)
    height_in = rows * (0.55 + 0.19 * len(schedules))
    with paper_style():
        figure, axes = panels(rows, columns, width_in, height_in, sharey=True)
        for panel, name in zip(axes, metrics, strict=False):
            _draw_bars(panel, name, find_metric(name), values[name].to_list())
        for panel in axes[len(metrics) :]:
            panel.set_axis_off()
        for panel in axes[::columns]:
            panel.set_yticks(range(len(schedules)), values["policy"].to_list())
        axes[0].invert_yaxis()
    return figure


def best_of(values: Sequence[float], metric: Metric) -> float:
    """Return the best of the values that are known, NaN if none is."""
    known = [value for value in values if not math.isnan(value)]
    choose = min if metric.smaller_is_better else max
    return choose(known, default=math.nan)


def _draw_bars(axes: Axes, name: str, metric: Metric, values: Sequence[float]) -> None:
    best = best_of(values, metric)
    known = [value for value in values if not math.isnan(value)]
    least, greatest = min(known, default=0.0), max(known, default=0.0)
    colours = [STRONG[0] if value == best else OTHERS for value in values]
    axes.barh(range(len(values)), [0 if math.isnan(v) else v for v in values], 0.7, color=colours)
    for place, value in enumerate(values):
        differs = best and value != best and not (math.isnan(value) or metric.signed)
        ratio = f" (×{three_digits(value / best)})" if differs else ""
        axes.annotate(
            value_label(value, metric) + ratio,
            (0 if math.isnan(value) else max(value, 0), place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    axes.set_xlim(min(least, 0), 1.7 * (max(greatest, -least) or 1))
    axes.set_title(f"{metric_label(name)} {'↓' if metric.smaller_is_better else '↑'}")
    axes.set_xticks([])
    axes.tick_params(axis="y", length=0)
    for side in ("bottom", "left"):
        axes.spines[side].set_visible(side == "left")
