"""The picture of what users gain or lose by other requests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schedlab.analysis.honesty import measure_honesty
from schedlab.testing.instances import crowd
from schedlab.viz import draw_honesty, save_figure


def test_a_panel_per_treatment_and_a_row_per_policy(tmp_path: Path) -> None:
    """Parameters that all policies share are left out of their names."""
    names = ["easy", "easy-one-reserved:reservation=frozen"]
    found = measure_honesty(crowd(60), 16, names, users=4, min_jobs=5, depth=20)
    figure = draw_honesty(found)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["accurate", "padded"]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["easy", "easy-one-reserved:reservation=frozen"]
    save_figure(figure, tmp_path / "honesty.png")


def test_dots_lie_between_no_wait_any_more_and_a_wait_only_now() -> None:
    """The change is relative to the longer wait, so no user is off the picture."""
    found = measure_honesty(crowd(60), 16, ["sjf"], users=4, min_jobs=5, treatments=["accurate"])
    (axes,) = draw_honesty(found).axes
    (dots,) = axes.collections
    places = np.asarray(dots.get_offsets())
    assert len(places) == found.changes.height
    assert np.all(np.abs(places[:, 0]) <= 1)
