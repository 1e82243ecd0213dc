"""Policies side by side, each metric relative to the best, to explore."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bokeh.models import FixedTicker, HoverTool, NumeralTickFormatter

from schedlab.metrics import Metric, find_metric
from schedlab.viz.colours import policy_colour
from schedlab.viz.comparison import best_of
from schedlab.viz.labels import metric_label, value_label
from schedlab.viz.report.style import legend_above, new_figure

if TYPE_CHECKING:
    import polars as pl

_TICKS = [1, 1.1, 1.2, 1.3, 1.5, *(digit * 10**power for power in range(8) for digit in (2, 5, 10))]

_HEIGHT = 0.7
"""The height over which a row's dots are spread; rows are 1 apart."""


def comparison_figure(values: pl.DataFrame) -> Any:
    """Draw a row per metric, a dot per policy at the factor by which it is worse than the best.

    A metric whose best is 0 shows only the policies that reach it.

    Args:
        values: a row per policy and a column per metric, from ``compare``.
    """
    names = [name for name in values.columns if name != "policy"]
    plot = new_figure(
        90 + 44 * len(names),
        x_axis_type="log",
        y_range=[metric_label(name) for name in reversed(names)],
        x_axis_label="times worse than the best (1 = best)",
    )
    for place in range(len(values)):
        _draw_policy(plot, values, names, place)
    plot.xaxis.ticker = FixedTicker(ticks=_TICKS)
    plot.xaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
    legend_above(plot)
    return plot


def _draw_policy(plot: Any, values: pl.DataFrame, names: list[str], place: int) -> None:
    """Draw the dots of one policy, a little above or below those of the others."""
    policy, height = values["policy"][place], _HEIGHT * (0.5 - (place + 0.5) / len(values))
    metrics = {name: find_metric(name) for name in names}
    source = {
        "metric": [metric_label(name) for name in names],
        "y": [(metric_label(name), height) for name in names],
        "x": [_factor(values[name].to_list(), place, metrics[name]) for name in names],
        "value": [value_label(values[name][place], metrics[name]) for name in names],
    }
    colour = policy_colour(place)
    dots = plot.scatter(
        "x", "y", source=source, size=11, color=colour, line_color="white", legend_label=policy
    )
    about = [
        ("policy", policy),
        ("metric", "@metric"),
        ("value", "@value"),
        ("factor", "@x{0.000}"),
    ]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=about, visible=False))


def _factor(values: list[float], place: int, metric: Metric) -> float:
    value, best = values[place], best_of(values, metric)
    if value == best:
        return 1.0
    worse, better = (value, best) if metric.smaller_is_better else (best, value)
    return worse / better if better > 0 and not metric.signed else math.nan
