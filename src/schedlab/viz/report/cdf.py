"""Distribution of a metric over jobs, to explore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import FixedTicker, HoverTool, NumeralTickFormatter

from schedlab.metrics import find_job_metric
from schedlab.sim import Schedule
from schedlab.viz.cdf import LEAST, POINTS
from schedlab.viz.colours import policy_colour
from schedlab.viz.curves import cumulative, upper_end
from schedlab.viz.report.style import legend_above, new_figure
from schedlab.viz.time_axis import DURATION_TICKS


def cdf_figure(schedules: Sequence[Schedule], name: str) -> Any:
    """Draw the share of jobs at or below each value, one line per policy."""
    metric = find_job_metric(name)
    values = [metric.of_jobs(schedule) for schedule in schedules]
    right = upper_end(values, LEAST * 10)
    plot = new_figure(
        320,
        x_axis_type="log",
        x_range=(LEAST, right),
        y_range=(0, 1.02),
        x_axis_label=name.replace("_", " "),
        y_axis_label="share of jobs",
    )
    for place, (schedule, of_jobs) in enumerate(zip(schedules, values, strict=True)):
        x, share = cumulative(of_jobs, LEAST, right, POINTS)
        line = plot.line(
            np.repeat(x, 2)[1:],
            np.repeat(share, 2)[:-1],
            color=policy_colour(place),
            line_width=2,
            legend_label=schedule.policy,
        )
        about = [("policy", schedule.policy), ("at most", "@x{0,0}"), ("share of jobs", "@y{0.0%}")]
        plot.add_tools(HoverTool(renderers=[line], tooltips=about, visible=False))
    plot.xaxis.formatter = NumeralTickFormatter(format="0,0")
    if metric.unit == "s":
        plot.xaxis.ticker = FixedTicker(ticks=list(DURATION_TICKS))
        plot.xaxis.major_label_overrides = DURATION_TICKS
    legend_above(plot)
    return plot
