"""Write the page on a trace from its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schedlab.analysis import Analysis
from schedlab.atomic import atomic_write
from schedlab.viz.analysis.tables import MAX_SPIKES, request_table, summary_table, user_table
from schedlab.viz.page import render_page, require_bokeh


def write_analysis(analysis: Analysis, path: str | Path) -> None:
    """Write a single HTML file that shows a trace and loads nothing from elsewhere.

    It shows how accurate the requests are, in all and of each user, what is requested, when jobs
    are submitted, how wide they are and how long they run.
    """
    require_bokeh()
    page = render_page(
        "analysis/page.html",
        _figures(analysis),
        title=f"{analysis.name}: what is in the trace",
        analysis=analysis,
        summary=summary_table(analysis),
        max_spikes=MAX_SPIKES,
        requests=request_table(analysis.requests) if analysis.requests else None,
        users=user_table(analysis.accuracy_of_users) if analysis.accuracy_of_users else None,
    )
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _figures(analysis: Analysis) -> dict[str, Any]:
    """Draw the Bokeh figures, by the names that the page gives them.

    There are no figures of what the trace does not have.
    """
    from schedlab.viz.analysis.boxes import busiest_figure, users_figure
    from schedlab.viz.analysis.counts import (
        hour_figure,
        run_time_figure,
        size_figure,
        weekday_figure,
    )
    from schedlab.viz.analysis.requests import density_figure, hourly_figure, spikes_figure

    figures = {
        "sizes": size_figure(analysis.nodes_histogram),
        "run_times": run_time_figure(analysis.run_s_histogram),
    }
    if analysis.requests:
        density = density_figure(analysis.requests)
        figures["density"] = density
        figures["hourly"] = hourly_figure(analysis.requests, density.x_range)
        figures["spikes"] = spikes_figure(analysis.requests)
    if analysis.accuracy_of_users:
        figures["users"] = users_figure(analysis.accuracy_of_users)
        figures["busiest"] = busiest_figure(analysis.accuracy_of_users)
    if analysis.arrivals:
        figures["hours"] = hour_figure(analysis.arrivals)
        figures["weekdays"] = weekday_figure(analysis.arrivals)
    return figures
