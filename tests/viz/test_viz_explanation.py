"""Pictures of what a learned policy decides by, and of how much predictions help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from schedlab.errors import ParameterError
from schedlab.viz import ErrorPoint, draw_importance, draw_prediction_error, save_figure
from schedlab.viz.importance import MeanAndInterval

NAN = float("nan")


def lengths(axes: Any) -> list[float]:
    """Return the lengths of the bars."""
    return [bar.get_width() for bar in axes.patches]


def test_a_bar_per_group_and_a_panel_per_measure(tmp_path: Path) -> None:
    """Values are in per cent if the title says so, with the interval if it is known."""
    measures: dict[str, list[MeanAndInterval | None]] = {
        "share, %": [(0.5, 0.4, 0.7), None],
        "return": [(-3.0, NAN, NAN), (2.0, 1.0, 3.0)],
    }
    figure = draw_importance(["job nodes", "job estimate"], measures, marked={"job estimate"})
    share, change = figure.axes
    assert lengths(share) == [50]
    assert lengths(change) == [-3, 2]
    interval, zero = (np.array(line.get_xdata()) for line in share.lines)
    assert interval == pytest.approx([40, 70])
    assert zero == pytest.approx([0, 0])
    assert [label.get_text() for label in share.get_yticklabels()] == ["job nodes", "job estimate"]
    save_figure(figure, tmp_path / "importance.png")


def test_noise_is_a_line_and_predictors_are_marks(tmp_path: Path) -> None:
    """The line goes from the truth outwards, whatever the order of the points."""
    points = [
        ErrorPoint("easy", predictor, error, {"utilisation": (value, value - 0.1, value + 0.1)})
        for predictor, error, value in (
            ("noisy", 2.0, 0.6),
            ("actual", 0.0, 0.8),
            ("mine", 1.0, 0.7),
        )
    ]
    figure = draw_prediction_error(points, ("actual", "noisy"), error="relative error")
    (axes,) = figure.axes
    noise = next(line for line in axes.lines if line.get_label() == "easy, truth with noise")
    assert np.array(noise.get_xydata()).tolist() == [[0, 0.8], [2, 0.6]]
    assert "mine" in [text.get_text() for text in figure.legends[0].get_texts()]
    save_figure(figure, tmp_path / "errors.png")


def test_nothing_cannot_be_drawn() -> None:
    """The error is a sentence; there is no empty picture."""
    with pytest.raises(ParameterError, match="needs groups and measures"):
        draw_importance([], {})
    with pytest.raises(ParameterError, match="at least one point"):
        draw_prediction_error([], (), error="")
