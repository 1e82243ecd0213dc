"""Pareto's front of policies."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import ParameterError
from schedlab.viz.front import Point, draw_front, front

LESS_AND_MORE = {"smaller_x_is_better": True, "smaller_y_is_better": False}


def test_who_is_beaten_in_both_metrics_is_not_on_the_front() -> None:
    """``b`` is slower than ``a`` and uses less of the machine; ``c`` is slower and uses more."""
    a, b, c = Point("a", 2, 0.7), Point("b", 3, 0.6), Point("c", 9, 0.9)
    assert front([c, b, a], **LESS_AND_MORE) == [a, c]


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1), st.booleans())
def test_nobody_beats_the_front_and_somebody_beats_all_others(
    places: list[tuple[int, int]], smaller: bool
) -> None:
    """This is the definition; metrics of which more is better are reversed."""
    points = [Point(str(i), x, y) for i, (x, y) in enumerate(places)]
    found = front(points, smaller_x_is_better=True, smaller_y_is_better=smaller)
    sign = 1 if smaller else -1

    def beats(p: Point, q: Point) -> bool:
        as_good = p.x <= q.x and sign * p.y <= sign * q.y
        return as_good and (p.x, p.y) != (q.x, q.y)

    for each in found:
        assert not any(beats(other, each) for other in points)
    for each in points:
        on_it = any((p.x, p.y) == (each.x, each.y) for p in found)
        assert on_it or any(beats(p, each) for p in found)


def test_the_picture_names_everybody() -> None:
    """The front is a line, and every policy is a mark."""
    points = [Point("easy", 100, 0.86), Point("saf+easy", 10, 0.75), Point("sjf", 200, 0.6)]
    figure = draw_front(points, x_label="slowdown", y_label="utilisation", **LESS_AND_MORE)
    [axes] = figure.axes
    assert sorted(text.get_text() for text in axes.texts) == ["easy", "saf+easy", "sjf"]
    assert list(np.asarray(axes.lines[0].get_xdata())) == [10, 100]


def test_no_policy_is_an_error() -> None:
    """There is nothing to draw."""
    with pytest.raises(ParameterError, match="at least one policy"):
        draw_front([], x_label="", y_label="", **LESS_AND_MORE)
