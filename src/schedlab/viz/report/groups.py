"""How classes of jobs fared, to explore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import FactorRange, HoverTool, NumeralTickFormatter

from schedlab.metrics import table
from schedlab.metrics.groupings import groups_of
from schedlab.sim import Schedule
from schedlab.viz.colours import policy_colour
from schedlab.viz.report.style import legend_above, new_figure

_TITLES = {"size": "nodes of the job", "run_time": "run time of the job"}


def group_figure(schedules: Sequence[Schedule], by: str, metric: str = "bounded_slowdown") -> Any:
    """Draw the mean of a metric in each class, one line per policy."""
    names = [str(name) for name in groups_of(schedules[0], by)[1]]
    plot = new_figure(
        320,
        x_range=FactorRange(factors=names),
        y_axis_type="log",
        x_axis_label=_TITLES[by],
        y_axis_label=f"mean {metric.replace('_', ' ')}",
    )
    for place, schedule in enumerate(schedules):
        found = table(schedule, metric, by, percentiles=(50, 95))
        source = {name: found[name].to_list() for name in found.columns}
        source["class"] = [str(name) for name in source.pop(by)]
        colour = policy_colour(place)
        plot.line("class", "mean", source=source, color=colour, legend_label=schedule.policy)
        dots = plot.scatter(
            "class", "mean", source=source, size=8, color=colour, legend_label=schedule.policy
        )
        about = [
            ("policy", schedule.policy),
            ("class", "@class"),
            ("jobs", "@jobs{0,0}"),
            ("mean", "@mean{0,0.00}"),
            ("median", "@p50{0,0.00}"),
            ("p95", "@p95{0,0.00}"),
        ]
        plot.add_tools(HoverTool(renderers=[dots], tooltips=about, visible=False))
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0.[0]")
    legend_above(plot)
    return plot
