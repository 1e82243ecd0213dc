"""Clusters in the pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab.platform import Cluster, Platform
from schedlab.sim import Schedule, simulate
from schedlab.testing.instances import jobs
from schedlab.viz import draw_gantt, write_report
from schedlab.viz.colours import job_colours, usual_colouring
from schedlab.viz.report.gantt import gantt_figure
from schedlab.viz.report.tables import cluster_table
from schedlab.viz.time_axis import TimeAxis
from schedlab.workload.needs import with_needs

GRID = Platform((Cluster.homogeneous(4, "a"), Cluster.homogeneous(2, "b")))


@pytest.fixture(scope="module")
def schedules() -> list[Schedule]:
    """Two jobs on one cluster each, and one on both."""
    workload = with_needs(
        jobs((0, 1, 60, 60), (0, 1, 60, 60), (0, 1, 60, 60)), [{"a": 4}, {"a": 1, "b": 2}, {"b": 1}]
    )
    return [
        simulate(workload, GRID, policy) for policy in ("conservative", "conservative:promises=1")
    ]


def test_jobs_are_coloured_by_the_clusters_they_need(schedules: list[Schedule]) -> None:
    """Both parts of a job have the same colour."""
    assert usual_colouring(schedules[0]) == "clusters"
    colours = job_colours(schedules[0], "clusters")
    assert (list(colours.names), colours.of_job.tolist()) == (["1", "2"], [0, 1, 0])


def test_the_chart_names_clusters(schedules: list[Schedule]) -> None:
    """Names stand at the right of a figure; in the report they replace the numbers of nodes."""
    panel = draw_gantt(schedules[:1]).axes[0]
    assert {text.get_text() for text in panel.texts} >= {" a", " b"}
    plot = gantt_figure(schedules[0], TimeAxis.over(schedules), None)
    assert plot.yaxis[0].major_label_overrides == {1.5: "a", 4.5: "b"}


def test_the_report_has_a_table_of_clusters(schedules: list[Schedule], tmp_path: Path) -> None:
    """Rows are per cluster and per number of clusters needed; of equals none is marked best."""
    table = cluster_table(schedules)
    assert table is not None
    assert [row[0].text for row in table.rows] == [
        "a: utilisation",
        "a: mean wait",
        "b: utilisation",
        "b: mean wait",
        "mean wait of jobs that need 1 cluster",
        "mean wait of jobs that need 2 clusters",
        "mean bounded slowdown of jobs that need 1 cluster",
        "mean bounded slowdown of jobs that need 2 clusters",
    ]
    assert not any(cell.best for row in table.rows for cell in row), "both schedules are equal"
    write_report(schedules, tmp_path / "r.html")
    assert 'id="clusters"' in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_without_clusters_there_is_none() -> None:
    """There is no table if all nodes are one pool."""
    assert cluster_table([simulate(jobs((0, 1, 5, 5)), GRID, "easy")]) is None
