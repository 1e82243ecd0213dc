"""Write the report on schedules from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.atomic import atomic_write
from schedlab.metrics import compare
from schedlab.sim import Schedule
from schedlab.viz.colours import job_colours, usual_colouring
from schedlab.viz.comparison import USUAL_METRICS
from schedlab.viz.gantt import with_nameable_nodes
from schedlab.viz.page import render_page, require_bokeh
from schedlab.viz.paper import checked
from schedlab.viz.report.facts import facts
from schedlab.viz.report.tables import (
    SUMMARY_METRICS,
    cluster_table,
    group_tables,
    resource_table,
    summary_table,
)
from schedlab.viz.time_axis import MILLISECOND_S, TimeAxis

if TYPE_CHECKING:
    import polars as pl


def write_report(
    schedules: Sequence[Schedule], path: str | Path, *, title: str | None = None
) -> None:
    """Write a single HTML file that compares schedules and loads nothing from elsewhere.

    It says what was run, sums up each policy, and shows the comparison, use and queue over time,
    distributions, a Gantt chart per policy, and how users and classes of jobs fared.
    """
    schedules = list(checked(schedules))
    page = _page(schedules, title or f"{schedules[0].workload.name}: " + _policies(schedules))
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _page(schedules: list[Schedule], title: str) -> str:
    require_bokeh()
    values = compare(schedules, SUMMARY_METRICS)
    return render_page(
        "report/page.html",
        _figures(schedules, values),
        title=title,
        gantt=[
            (each.policy, job_colours(each, usual_colouring(each)))
            for each in with_nameable_nodes(schedules)
        ],
        facts=facts(schedules),
        summary=summary_table(schedules, values),
        groups=group_tables(schedules),
        resources=resource_table(schedules),
        clusters=cluster_table(schedules),
    )


def _figures(schedules: list[Schedule], values: pl.DataFrame) -> dict[str, Any]:
    """Return the Bokeh figures by the names the page gives them; those over time move together."""
    from schedlab.viz.report.cdf import cdf_figure
    from schedlab.viz.report.comparison import comparison_figure
    from schedlab.viz.report.gantt import gantt_figure
    from schedlab.viz.report.groups import group_figure
    from schedlab.viz.report.over_time import queue_figure, used_nodes_figure

    axis = TimeAxis.over(schedules, MILLISECOND_S)
    used = used_nodes_figure(schedules, axis)
    figures = {
        "comparison": comparison_figure(values.select("policy", *USUAL_METRICS)),
        "used": used,
        "queue": queue_figure(schedules, axis, used.x_range),
        "wait": cdf_figure(schedules, "wait"),
        "slowdown": cdf_figure(schedules, "bounded_slowdown"),
        "by_size": group_figure(schedules, "size"),
        "by_run_time": group_figure(schedules, "run_time"),
    }
    for place, schedule in enumerate(with_nameable_nodes(schedules)):
        figures[f"gantt{place}"] = gantt_figure(schedule, axis, used.x_range)
    return figures


def _policies(schedules: Sequence[Schedule]) -> str:
    return ", ".join(schedule.policy for schedule in schedules)
