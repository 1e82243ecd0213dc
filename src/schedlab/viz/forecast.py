"""Forecasts of starts as a picture: a bar from the beginning to the end of each interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedlab.sim import StartForecast
from schedlab.viz.colours import STRONG
from schedlab.viz.paper import paper_style, shown_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.analysis import Clock

MOST = 40
"""The largest number of jobs to draw: those that are likely to start first."""
_UNITS = ((3 * 86_400, 86_400, "days"), (7200, 3600, "hours"), (0, 60, "minutes"))


def draw_forecast(
    forecast: StartForecast, clock: Clock | None = None, *, width_in: float = 7.0
) -> Figure:
    """Draw the 50 % and the 80 % interval of each job's start, and the most likely start.

    Args:
        forecast: the forecast of the waiting jobs.
        clock: gives the date at which it was made.
        width_in: width of the picture.
    """
    from matplotlib.ticker import MaxNLocator

    middle = forecast.quantiles([0.5])[:, 0]
    shown = forecast.take(np.argsort(middle, kind="stable")[:MOST])
    spans = shown.quantiles([0.1, 0.25, 0.5, 0.75, 0.9]) - forecast.now_s
    longest = float(spans.max(initial=60.0))
    unit_s, unit = next(each[1:] for each in _UNITS if longest >= each[0])
    spans = spans / unit_s
    rows = np.arange(len(shown))
    with paper_style():
        height_in = 1.1 + 0.16 * max(len(shown), 4)
        figure: Figure = shown_figure()(figsize=(width_in, height_in), layout="constrained")
        axes = figure.subplots()
        axes.barh(
            rows,
            spans[:, 4] - spans[:, 0],
            left=spans[:, 0],
            height=0.5,
            color="#c9d7e8",
            label="80 % interval",
        )
        axes.barh(
            rows,
            spans[:, 3] - spans[:, 1],
            left=spans[:, 1],
            height=0.5,
            color=STRONG[0],
            label="50 % interval",
        )
        axes.plot(spans[:, 2], rows, "D", color="black", markersize=3, label="most likely")
        axes.set_yticks(rows, [f"{each}" for each in shown.job_id], fontsize=6)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlim(0, None)
        axes.xaxis.set_major_locator(MaxNLocator(8))
        axes.grid(axis="x")
        made = None if clock is None else clock.at(forecast.now_s)
        when = f"{forecast.now_s:,} s" if made is None else f"{made:%Y-%m-%d %H:%M}"
        axes.set_xlabel(f"start, in {unit} from {when}")
        axes.set_ylabel("job")
        figure.legend(loc="outside upper center", ncols=3)
        if len(shown) < len(forecast):
            axes.set_title(f"the first {len(shown)} of {len(forecast):,} waiting jobs", fontsize=8)
    return figure
