"""Lines over workloads or steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from schedlab.errors import ParameterError
from schedlab.viz import Line, draw_lines, save_figure


def test_lines_have_places_intervals_and_names(tmp_path: Path) -> None:
    """A single value for all places is a dashed line across."""
    lines = [Line("mine", [3, 2], [0, 1], [2, 1], [4, 3]), Line("EASY", [2.5])]
    figure = draw_lines(lines, x_label="", y_label="mean wait", names=["light", "heavy"])
    (axes,) = figure.axes
    mine, easy = axes.lines
    assert np.array(mine.get_xydata()).tolist() == [[0, 3], [1, 2]]
    assert (easy.get_ydata()[0], easy.get_linestyle()) == (2.5, "--")  # type: ignore[index]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["light", "heavy"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["mine", "EASY"]
    save_figure(figure, tmp_path / "lines.svg")


def test_no_two_lines_look_alike() -> None:
    """When the colours have run out, dashes and marks tell them apart."""
    lines = [Line(str(place), [1, place], [0, 1]) for place in range(15)]
    (axes,) = draw_lines(lines, x_label="", y_label="", names=["a", "b"]).axes
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.lines}
    assert len(looks) == 15


def test_what_all_places_begin_with_is_said_once() -> None:
    """Otherwise many names would run into each other."""
    names = ["my load 10", "my load 40", "my load 100"]
    (axes,) = draw_lines([Line("mine", [1], [0])], x_label="", y_label="", names=names).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "40", "100"]
    assert axes.get_xlabel() == "my load"


def test_no_lines_cannot_be_drawn() -> None:
    """The error is a sentence; there is no empty picture."""
    with pytest.raises(ParameterError, match="needs at least one"):
        draw_lines([], x_label="", y_label="")
