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


def comparison_figure(values: pl.DataFrame) -> Any:
    """A row per metric, a dot per policy at the factor by which it is worse than the best.

    A metric whose best is 0 shows only the policies that reach it.
    """
    names = [name for name in values.columns if name != "policy"]
    labels = [metric_label(name) for name in names]
    plot = new_figure(
        90 + 44 * len(names),
        x_axis_type="log",
        y_range=labels[::-1],
        x_axis_label="times worse than the best (1 = best)",
    )
    policies = values["policy"].to_list()
    for place, policy in enumerate(policies):
        offset = 0.7 * ((place + 0.5) / len(policies) - 0.5)
        metrics = [find_metric(name) for name in names]
        own = [values[name][place] for name in names]
        factors = [
            _factor(value, best_of(values[name].to_list(), metric), metric)
            for value, name, metric in zip(own, names, metrics, strict=True)
        ]
        data = {
            "y": [(label, -offset) for label in labels],
            "x": factors,
            "metric": labels,
            "value": [value_label(v, m) for v, m in zip(own, metrics, strict=True)],
        }
        dots = plot.scatter(
            "x",
            "y",
            source=data,
            size=11,
            color=policy_colour(place),
            legend_label=policy,
            line_color="white",
        )
        about = [
            ("policy", policy),
            ("metric", "@metric"),
            ("value", "@value"),
            ("factor", "@x{0.000}"),
        ]
        plot.add_tools(HoverTool(renderers=[dots], tooltips=about, visible=False))
    plot.xaxis.ticker = FixedTicker(ticks=_TICKS)
    plot.xaxis.formatter = NumeralTickFormatter(format="0,0.[00]")
    legend_above(plot)
    return plot


def _factor(value: float, best: float, metric: Metric) -> float:
    if value == best:
        return 1.0
    worse, better = (value, best) if metric.smaller_is_better else (best, value)
    return worse / better if better > 0 else math.nan
