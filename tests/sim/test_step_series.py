"""Quantities that change at instants."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.sim import StepSeries

TWO_STEPS = StepSeries(np.array([10, 20, 40]), np.array([1, 3, 0]))

changes = st.lists(st.tuples(st.integers(0, 40), st.integers(-5, 5)), min_size=1)
cuts = st.lists(st.integers(-5, 50), min_size=2, max_size=8, unique=True).map(sorted)


def test_changes_of_one_instant_count_as_one() -> None:
    """A job that ends and another that starts at 20 leave no dip between them."""
    series = StepSeries.from_changes(
        (np.array([10, 20]), np.array([4, 4])), (np.array([20, 30]), np.array([-4, -4]))
    )
    assert (series.time_s.tolist(), series.value.tolist()) == ([10, 20, 30], [4, 4, 0])


def test_value_holds_until_the_next_change() -> None:
    """0 before the first change, the new value from the very instant of each."""
    assert TWO_STEPS.at(np.array([9, 10, 19, 20, 39, 40, 99])).tolist() == [0, 1, 1, 3, 3, 0, 0]


def test_means_by_hand() -> None:
    """The value is 1 for 10 s and 3 for 20 s."""
    assert TWO_STEPS.integral(0, 50) == 70
    assert TWO_STEPS.mean(10, 40) == pytest.approx(70 / 30)
    assert TWO_STEPS.mean(10, 10) == 0
    assert TWO_STEPS.bin_means(np.array([0, 15, 30, 60])).tolist() == [5 / 15, 35 / 15, 30 / 30]


def test_extremes_by_hand() -> None:
    """A bin that ends low still has its peak, and a bin without a change has its value."""
    least, greatest = TWO_STEPS.bin_extremes(np.array([0, 15, 18, 45, 60]))
    assert least.tolist() == [0, 1, 0, 0]
    assert greatest.tolist() == [1, 1, 3, 0]


def test_nothing_ever_happened() -> None:
    """A series without changes is 0 for ever."""
    none = np.zeros(0, dtype=np.int64)
    series = StepSeries.from_changes((none, none))
    assert series.integral(0, 10) == 0
    assert series.bin_extremes(np.array([0, 5, 9]))[1].tolist() == [0, 0]


@given(changes, cuts)
def test_bins_second_by_second(drawn: list[tuple[int, int]], edges: list[int]) -> None:
    """Mean, least and greatest of a bin are those of its seconds."""
    when, by = np.array(drawn, dtype=np.int64).T
    series = StepSeries.from_changes((when, by))
    bins = np.array(edges)
    least, greatest = series.bin_extremes(bins)
    means = series.bin_means(bins)
    for place, (begin, end) in enumerate(pairwise(edges)):
        seconds = series.at(np.arange(begin, end))
        assert (seconds.min(), seconds.max()) == (least[place], greatest[place])
        assert means[place] == pytest.approx(seconds.mean())
