"""The HTML report: one file, complete, offline, and lean."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from schedlab.errors import MissingExtraError, OutputError, ParameterError
from schedlab.metrics import compare
from schedlab.platform import Platform
from schedlab.sim import Schedule, load_schedules, save_schedules, simulate
from schedlab.viz import write_report
from schedlab.viz.colours import job_colours
from schedlab.viz.occupancy import occupancy
from schedlab.viz.report.comparison import comparison_figure
from schedlab.viz.report.gantt import _indexed, _palette, gantt_figure
from schedlab.viz.report.groups import group_figure
from schedlab.viz.report.over_time import queue_figure, used_nodes_figure
from schedlab.viz.report.tables import SUMMARY_METRICS, group_tables, summary_table
from schedlab.viz.time_axis import TimeAxis
from schedlab.workload import Workload


@pytest.fixture(scope="module")
def page(few: list[Schedule], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report on four jobs under two policies."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(few, path)
    return path.read_text(encoding="utf-8")


def test_page_loads_nothing_from_elsewhere(page: str) -> None:
    """It opens on a machine without a network."""
    assert not re.search(r"<(script|img|iframe)[^>]+src=", page)
    assert not re.search(r"<link[^>]+href=", page)
    assert "bokeh" in page


def test_page_tells_what_was_run(page: str) -> None:
    """The page names the workload, platform, options, seed and versions."""
    assert "<title>four: fcfs, easy</title>" in page
    assert "Workload four" in page
    assert "8 nodes of 1 cores" in page
    assert "seed 42" in page
    assert f"numpy {np.__version__}" in page


def test_page_has_all_its_parts(page: str) -> None:
    """The page has the sections that the navigation names, and a figure per placeholder."""
    for part in ("summary", "comparison", "time", "jobs", "gantt", "classes", "users", "run"):
        assert f'<section id="{part}">' in page
    assert len(re.findall(r'data-root-id="', page)) == 9


def test_names_are_escaped(page: str) -> None:
    """A user may be called anything."""
    assert "&lt;eve&gt;" in page
    assert "<eve>" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_title_can_be_chosen(few: list[Schedule], tmp_path: Path) -> None:
    """The supplement of a paper needs a title of its own."""
    write_report(few, tmp_path / "report.html", title="Two & two")
    assert "<title>Two &amp; two</title>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_report_on_many_jobs_is_lean(many: list[Schedule], tmp_path: Path) -> None:
    """Gantt charts become images and curves are thinned: the size hardly depends on the jobs."""
    write_report(many, tmp_path / "many.html")
    assert (tmp_path / "many.html").stat().st_size < 4_000_000


def test_report_on_loaded_schedules(few: list[Schedule], tmp_path: Path) -> None:
    """A table from elsewhere, without a description, gets a report too."""
    save_schedules(few, tmp_path / "few.csv")
    (tmp_path / "few.csv.meta.json").unlink()
    write_report(load_schedules(tmp_path / "few.csv"), tmp_path / "few.html")
    assert "not known" in (tmp_path / "few.html").read_text(encoding="utf-8")


def test_report_on_nothing(empty: Schedule, tmp_path: Path) -> None:
    """An empty schedule gives an empty report, no schedule at all is a mistake."""
    write_report([empty], tmp_path / "empty.html")
    with pytest.raises(ParameterError, match="at least one schedule"):
        write_report([], tmp_path / "none.html")
    with pytest.raises(OutputError, match="does not exist"):
        write_report([empty], tmp_path / "nowhere" / "none.html")


def test_figures_over_time_move_together(few: list[Schedule]) -> None:
    """They share one range, so zooming one zooms all."""
    axis = TimeAxis.over(few)
    used = used_nodes_figure(few, axis)
    assert queue_figure(few, axis, used.x_range).x_range is used.x_range
    assert gantt_figure(few[0], axis, used.x_range).x_range is used.x_range


def test_queue_keeps_its_peak(many: list[Schedule]) -> None:
    """The shade of the thinned curve reaches the greatest value."""
    axis = TimeAxis.over(many)
    shade = queue_figure(many[:1], axis, None).renderers[0]
    peak = many[0].queue_length().value.max()
    assert shade.data_source.data["greatest"].max() == peak


def test_gantt_has_a_rectangle_per_range(few: list[Schedule]) -> None:
    """Each rectangle has the job, its user and its wait to show under the mouse."""
    axis = TimeAxis.over(few)
    (drawn,) = gantt_figure(few[0], axis, None).renderers
    data = drawn.data_source.data
    assert data["job"] == [1, 2, 3, 4]
    assert data["user"] == ["ann", "bob", "bob", "<eve>"]
    assert data["wait"].tolist() == few[0].wait_s.tolist()
    assert (data["bottom"][0], data["top"][0]) == (-0.5, 3.5)


def test_gantt_image_tells_class_and_share(many: list[Schedule]) -> None:
    """The byte of a pixel names its main class and how busy it is; the palette has its colour."""
    schedule = many[0]
    colours = job_colours(schedule, "user")
    shares = occupancy(schedule, colours.of_job, 8, schedule.horizon_s(), (64, 5000))
    image, palette = _indexed(shares), _palette(colours)
    assert len(palette) == 256
    busy = shares.sum(axis=0)
    assert np.array_equal(image == 0, busy < 1e-5)
    full = np.argwhere(shares > 1 - 1e-9)
    place, row, column = full[0]
    assert palette[image[row, column]] == colours.colours[place]


def test_comparison_is_relative_to_the_best(few: list[Schedule]) -> None:
    """The best is at 1; the ratio of utilisation is inverted, since more is better."""
    values = compare(few, ["wait", "utilisation", "energy"])
    worse, best = (each.data_source.data["x"] for each in comparison_figure(values).renderers)
    assert best[0] == 1
    assert worse[0] == pytest.approx(values["wait"][0] / values["wait"][1])
    assert worse[1] == pytest.approx(max(values["utilisation"]) / values["utilisation"][0])


def test_groups_have_a_point_per_class(few: list[Schedule]) -> None:
    """Classes come in their order, with one line and one set of dots per policy."""
    plot = group_figure(few, "size")
    assert list(plot.x_range.factors) == ["1", "2", "3-4", "5-8"]
    assert len(plot.renderers) == 4
    assert plot.renderers[0].data_source.data["class"] == ["1", "2", "3-4", "5-8"]


def test_tables_mark_the_best(few: list[Schedule]) -> None:
    """Rows are metrics and columns are policies; users with most work come first."""
    told = summary_table(few, compare(few, SUMMARY_METRICS))
    rows = {row[0].text: row[1:] for row in told.rows}
    assert [cell.text for cell in rows["jobs"]] == ["4", "4"]
    assert [cell.best for cell in rows["mean wait ↓"]] == [False, True]
    same = summary_table(few[:1] * 2, compare(few[:1] * 2, SUMMARY_METRICS))
    assert not any(cell.best for row in same.rows for cell in row)
    ((title, users),) = group_tables(few)
    assert title == "Users"
    assert [row[0].text for row in users.rows] == ["bob", "ann", "<eve>"]


def test_groups_and_resources_have_their_sections(tmp_path: Path) -> None:
    """Partitions, accounts and QOS have one if jobs name several; resources if jobs share nodes."""
    columns = {"job_id": [1, 2], "submit_s": [0, 0], "nodes": [1, 1], "run_s": [5, 5]}
    names = {"partition": [0, 1], "account": [0, 0], "qos": [1, 0], "cores_per_node": [1, 2]}
    jobs = Workload(
        {**columns, "request_s": [5, 5], **names},
        labels={"partition": ["debug", "long"], "account": ["one"], "qos": ["low", "high"]},
    )
    write_report([simulate(jobs, Platform.homogeneous(2, cores=4), "easy")], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    sections = re.findall(r"<h2>([^<]*)</h2>", page)
    assert [each for each in sections if each in ("Resources", "Users", "Partitions", "QOS")] == [
        "Resources",
        "Partitions",
        "QOS",
    ]
    assert "cores: utilisation" in page
    assert "Accounts" not in sections


def test_bokeh_is_optional(
    few: list[Schedule], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the error names what to install."""
    monkeypatch.setitem(sys.modules, "bokeh.embed", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[viz\]"'):
        write_report(few, tmp_path / "report.html")
