"""Pictures for papers: what is on them, not only that they can be drawn."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from schedlab.errors import MissingExtraError, OutputError, ParameterError, UnknownNameError
from schedlab.platform import Cluster, Failure, Platform
from schedlab.sim import Schedule, simulate
from schedlab.viz import (
    PICTURES,
    draw_cdf,
    draw_comparison,
    draw_gantt,
    draw_over_time,
    gantt,
    save_figure,
)
from schedlab.viz.colours import LIGHT, OTHERS, STRONG
from schedlab.viz.occupancy import occupancy
from schedlab.viz.time_axis import TimeAxis
from schedlab.workload import Workload


def test_gantt_has_a_rectangle_per_range(few: list[Schedule]) -> None:
    """Job 1 runs on nodes 0-3 for the first hour; edges lie half a node out."""
    (axes,) = _axes(draw_gantt(few[:1]))
    (drawn,) = axes.collections
    ranges = few[0].node_ranges
    assert ranges is not None
    assert len(drawn.get_paths()) == len(ranges.first)
    corners = drawn.get_paths()[0].vertices[:4]
    assert corners.min(axis=0).tolist() == [0, -0.5]
    assert corners.max(axis=0).tolist() == [60, 3.5]
    assert axes.get_xlabel() == "time since first submission (minutes)"
    assert axes.get_ylim() == (-0.5, 7.5)


def test_gantt_marks_attempts_that_were_interrupted() -> None:
    """Node 1 fails after 100 s: the attempt on it ends in red there, the last one does not."""
    jobs = Workload(
        {"job_id": [7], "submit_s": [0], "nodes": [2], "request_s": [900], "run_s": [600]}
    )
    made = simulate(jobs, 4, "easy", failures=[Failure(1, 100, 50)])
    (axes,) = _axes(draw_gantt([made]))
    drawn, marks = axes.collections
    assert len(drawn.get_paths()) > len(marks.get_segments()) >= 1
    at_end = axes.collections[1].get_segments()[0]
    assert {x for x, _ in at_end} == {TimeAxis.over([made]).at(100)}
    assert "1 interrupted (red)" in axes.get_title(loc="left")


def test_gantt_names_jobs_where_there_is_room(few: list[Schedule]) -> None:
    """Each long job carries its number, at its middle."""
    (axes,) = _axes(draw_gantt(few[:1]))
    assert {"1", "2", "3"} <= {text.get_text() for text in axes.texts}
    wide = next(text for text in axes.texts if text.get_text() == "3")
    assert wide.get_position() == (120 + 15, 3.5)


def test_gantt_tells_the_clusters_of_a_grid_apart(few: list[Schedule]) -> None:
    """Lines separate them, and their names are at the right; one cluster needs neither."""
    north = Cluster.homogeneous(2, "a", site="north"), Cluster.homogeneous(4, "b", site="north")
    south = Cluster.homogeneous(2, site="south")
    (axes,) = _axes(draw_gantt([replace(few[0], platform=Platform((*north, south)))]))
    names = [" north/a", " north/b", " south/cluster"]
    assert [text.get_text() for text in axes.texts][-3:] == names
    assert [line.get_ydata()[0] for line in axes.lines] == [1.5, 5.5, 7.5]
    (plain,) = _axes(draw_gantt(few[:1]))
    assert not plain.lines


def test_gantt_shows_even_the_smallest_job(few: list[Schedule]) -> None:
    """A job that ran for no time is still a pixel wide."""
    instant = replace(
        few[0], end_s=np.where(few[0].workload["job_id"] == 4, few[0].start_s, few[0].end_s)
    )
    (axes,) = _axes(draw_gantt([instant]))
    (drawn,) = axes.collections
    widths = [np.ptp(path.vertices[:, 0]) for path in drawn.get_paths()]
    assert min(widths) > 0


def test_gantt_of_many_jobs_is_an_image_of_the_occupancy(many: list[Schedule]) -> None:
    """With too many jobs to tell apart each pixel is shaded; there are no rectangles."""
    axis = TimeAxis.over(many)
    first, second = _axes(draw_gantt(many))
    for axes, schedule in zip((first, second), many, strict=True):
        (image,) = axes.images
        pixels = np.asarray(image.get_array())
        assert pixels.shape == (64, gantt._COLUMNS, 3)
        everything = np.zeros(len(schedule), dtype=np.int64)
        busy = occupancy(schedule, everything, 1, (axis.first_s, axis.last_s), pixels.shape[:2])[0]
        assert np.array_equal(np.all(pixels == 1, axis=2), busy < 1e-6)
        assert 0.1 < np.mean(busy < 1e-6) < 0.5
        assert not axes.collections


def test_gantt_without_named_nodes(few: list[Schedule]) -> None:
    """A schedule from a file that only counts nodes gets the lowest free numbers."""
    (axes,) = _axes(draw_gantt([replace(few[0], node_ranges=None)]))
    (drawn,) = axes.collections
    assert len(drawn.get_paths()) >= len(few[0])


def test_gantt_colours(few: list[Schedule], many: list[Schedule]) -> None:
    """Colours are by job in turn, or by user or size with a legend.

    Users beyond the palette are together in grey.
    """
    (axes,) = _axes(draw_gantt(few[:1]))
    faces = axes.collections[0].get_facecolor()[:, :3]
    assert faces[0].tolist() == pytest.approx(to_rgb(LIGHT[0]))
    by_user = draw_gantt(few[:1], colour_by="user")
    assert _legend(by_user)[1:] == ["bob", "ann", "<eve>"]
    assert _legend(draw_gantt(few[:1], colour_by="size"))[1:] == ["1", "2", "3-4", "5-8"]
    legend = _legend(draw_gantt(many[:1]))
    assert legend[0] == "user:"
    assert legend[-1] == f"{20 - len(STRONG)} others"
    with pytest.raises(UnknownNameError, match='did you mean "user"'):
        draw_gantt(few, colour_by="usr")


def test_gantt_of_different_workloads(few: list[Schedule], many: list[Schedule]) -> None:
    """Colours mean other users in each panel, so each has its own legend."""
    figure = draw_gantt([few[0], many[0]], colour_by="user")
    assert not figure.legends
    first, second = (axes.get_legend() for axes in _axes(figure))
    assert [text.get_text() for text in first.get_texts()][1:] == ["bob", "ann", "<eve>"]
    assert second.get_texts()[-1].get_text() == "13 others"


def test_over_time_draws_the_series(few: list[Schedule]) -> None:
    """One line per policy in each panel, and with few events every step is exact."""
    used, queue = _axes(draw_over_time(few))
    lines = [patch for patch in used.patches if patch.get_label() in ("fcfs", "easy")]
    assert [line.get_label() for line in lines] == ["fcfs", "easy"]
    values, edges, _ = lines[0].get_data()
    assert values.tolist()[0] == 5
    assert edges[0] == 0
    assert used.get_ylabel() == "nodes in use"
    assert queue.get_ylabel() == "jobs waiting"
    assert queue.get_ylim()[0] == 0


def test_over_time_keeps_the_peak_of_the_queue(many: list[Schedule]) -> None:
    """Means hide peaks, but the shade still reaches the greatest value."""
    _, queue = _axes(draw_over_time(many[:1]))
    peak = many[0].queue_length().value.max()
    assert max(patch.get_data().values.max() for patch in queue.patches) == peak


def test_cdf_is_the_share_of_jobs(few: list[Schedule]) -> None:
    """Under FCFS two of four jobs do not wait; all lines end at 1."""
    wait, slowdown = _axes(draw_cdf(few))
    line = wait.lines[0]
    assert line.get_ydata()[0] == 0.5
    assert line.get_ydata()[-1] == 1
    assert line.get_drawstyle() == "steps-post"
    assert wait.get_xscale() == slowdown.get_xscale() == "log"
    assert [text.get_text() for text in wait.get_xticklabels()][:3] == ["1 s", "10 s", "1 min"]
    assert _legend(wait.figure) == ["fcfs", "easy"]


def test_cdf_of_jobs_that_all_started_at_once(few: list[Schedule]) -> None:
    """The panel has a line along the top and is not empty."""
    at_once = replace(few[0], start_s=few[0].eligible_s)
    axes = _axes(draw_cdf([at_once]))[0]
    assert axes.lines[0].get_xydata().tolist() == [[1, 1], [10, 1]]


def test_comparison_marks_the_best(few: list[Schedule]) -> None:
    """EASY's mean wait is shorter: its bar is in colour, and the other tells the ratio."""
    axes = _axes(draw_comparison(few, ["wait", "utilisation"]))
    wait = [few[place].wait_s.mean() for place in (0, 1)]
    assert [bar.get_width() for bar in axes[0].patches] == pytest.approx(wait)
    assert [bar.get_facecolor()[:3] for bar in axes[0].patches] == [
        to_rgb(OTHERS),
        to_rgb(STRONG[0]),
    ]
    assert f"(×{wait[0] / wait[1]:.2f})" in axes[0].texts[0].get_text()
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["fcfs", "easy"]
    assert axes[0].get_title(loc="left") == "mean wait ↓"
    assert axes[1].get_title(loc="left") == "utilisation ↑"


def test_comparison_of_what_is_not_known(few: list[Schedule]) -> None:
    """Without power there is no energy: the panel has a dash and no bar."""
    (axes,) = _axes(draw_comparison(few, ["energy"]))
    assert [text.get_text() for text in axes.texts] == ["–", "–"]
    with pytest.raises(ParameterError, match="at least one metric"):
        draw_comparison(few, [])


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_saved(few: list[Schedule], tmp_path: Path, name: str) -> None:
    """Each picture is saved as PNG, PDF and SVG, with ink on it and the same bytes each time."""
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
    for kind, magic in begins.items():
        path = tmp_path / f"{name}.{kind}"
        save_figure(PICTURES[name](few), path)
        once = path.read_bytes()
        assert once.startswith(magic)
        save_figure(PICTURES[name](few), path)
        assert path.read_bytes() == once
    assert "fcfs" in (tmp_path / f"{name}.svg").read_text()


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_nothing(empty: Schedule, tmp_path: Path, name: str) -> None:
    """An empty schedule gives an empty picture, no schedule at all is a mistake."""
    save_figure(PICTURES[name]([empty]), tmp_path / "empty.png")
    with pytest.raises(ParameterError, match="at least one schedule"):
        PICTURES[name]([])


def test_saving_mistakes(few: list[Schedule], tmp_path: Path) -> None:
    """The error says what is allowed, or why the file could not be written."""
    figure = draw_cdf(few)
    with pytest.raises(ParameterError, match=r"must end in one of \.png, \.pdf, \.svg"):
        save_figure(figure, tmp_path / "cdf.gif")
    with pytest.raises(OutputError, match="does not exist"):
        save_figure(figure, tmp_path / "nowhere" / "cdf.png")


@pytest.mark.parametrize("name", PICTURES)
def test_matplotlib_is_optional(
    few: list[Schedule], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Without it the error names what to install."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[viz\]"'):
        PICTURES[name](few)


def _axes(figure: Figure) -> list[Any]:
    """Return the axes without types: Matplotlib's stubs do not know what is on them."""
    return list(figure.axes)


def _legend(figure: Figure) -> list[str]:
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]
