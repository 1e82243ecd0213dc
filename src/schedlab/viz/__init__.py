"""Schedules as pictures: for papers with Matplotlib, to explore with Bokeh."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from schedlab.viz.cdf import draw_cdf
from schedlab.viz.coalloc import (
    draw_accuracy_by_edges,
    draw_coalloc_gantt,
    draw_constraint_graph,
    draw_cycles,
    draw_pseudo_tree,
    draw_relaxations,
)
from schedlab.viz.comparison import draw_comparison
from schedlab.viz.gantt import draw_gantt
from schedlab.viz.honesty import draw_honesty
from schedlab.viz.importance import draw_importance
from schedlab.viz.incentive import draw_incentive
from schedlab.viz.lines import Line, draw_lines
from schedlab.viz.over_time import draw_over_time
from schedlab.viz.paper import save_figure
from schedlab.viz.prediction_error import ErrorPoint, draw_prediction_error
from schedlab.viz.report import write_report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES: dict[str, Callable[..., Figure]] = {
    "gantt": draw_gantt,
    "over-time": draw_over_time,
    "cdf": draw_cdf,
    "comparison": draw_comparison,
    "incentive": draw_incentive,
}

__all__ = [
    "PICTURES",
    "ErrorPoint",
    "Line",
    "draw_accuracy_by_edges",
    "draw_cdf",
    "draw_coalloc_gantt",
    "draw_comparison",
    "draw_constraint_graph",
    "draw_cycles",
    "draw_gantt",
    "draw_honesty",
    "draw_importance",
    "draw_incentive",
    "draw_lines",
    "draw_over_time",
    "draw_prediction_error",
    "draw_pseudo_tree",
    "draw_relaxations",
    "save_figure",
    "write_report",
]
