"""Intervals from samples and from counters: what is known, and for how long."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.history.sensors.resample import integral
from schedlab.history.sensors.series import Series, joined, total

NAN = float("nan")


def gauge(times: list[float], values: list[float], stale_s: float | None = None) -> Series:
    """Return a series of samples in watts."""
    return Series.of_samples(times, values, stale_s=stale_s, unit="W", source="test")


def spans(series: Series) -> list[tuple[float, float, float]]:
    """Return the start, the end and the mean of each interval."""
    return list(zip(series.start_s, series.end_s, series.mean, strict=True))


def test_a_sample_holds_until_the_next() -> None:
    """A gauge gives nothing between samples, so the last value counts."""
    assert spans(gauge([0, 60, 120], [1, 2, 3], stale_s=60)) == [
        (0, 60, 1),
        (60, 120, 2),
        (120, 180, 3),
    ]


def test_a_stale_sample_leaves_a_gap() -> None:
    """After three usual steps, the value of a silent sensor is unknown."""
    assert spans(gauge([0, 10, 20, 100], [1, 2, 3, 4])) == [
        (0, 10, 1),
        (10, 20, 2),
        (20, 50, 3),
        (100, 130, 4),
    ]


def test_a_sample_that_is_no_number_ends_the_one_before() -> None:
    """NaN means that the sensor was there and had no value."""
    assert spans(gauge([0, 60, 120], [1, NAN, 3], stale_s=60)) == [(0, 60, 1), (120, 180, 3)]


def test_samples_may_come_in_any_order() -> None:
    """Sources that collect from many places return late samples at the end."""
    assert spans(gauge([120, 0, 60], [3, 1, 2])) == spans(gauge([0, 60, 120], [1, 2, 3]))


def test_of_two_samples_at_one_time_the_later_given_counts() -> None:
    """A correction is written after what it corrects."""
    assert spans(gauge([0, 60, 60], [1, 2, 5], stale_s=60)) == [(0, 60, 1), (60, 120, 5)]


def test_a_lone_sample_holds_for_five_minutes() -> None:
    """Without a second one there is no usual step to go by."""
    assert spans(gauge([0], [7])) == [(0, 300, 7)]


def test_no_samples_make_an_empty_series() -> None:
    """A source may have nothing, which is no mistake."""
    assert len(gauge([], [])) == 0
    assert len(Series.of_counter([], [], unit="J", source="test")) == 0


def test_a_counter_rises_evenly_between_readings() -> None:
    """Between two readings only the sum is known, so the rate is the mean."""
    series = Series.of_counter([0, 10, 30], [100, 150, 350], unit="J", source="test")
    assert spans(series) == [(0, 10, 5), (10, 30, 10)]


def test_a_counter_that_fell_was_reset() -> None:
    """After a reboot it starts from nothing: what it shows is what it has counted since."""
    series = Series.of_counter([0, 10, 20], [100, 130, 20], unit="J", source="test")
    assert integral(series, 0, 20) == pytest.approx(50)


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=30))
def test_a_counter_loses_nothing(rises: list[float]) -> None:
    """The integral of the rate is what the counter rose by, whatever the steps."""
    readings = np.cumsum(rises)
    times = np.cumsum(1 + np.arange(len(rises)) % 7)
    series = Series.of_counter(times, readings, unit="J", source="test")
    assert integral(series, times[0], times[-1]) == pytest.approx(
        readings[-1] - readings[0], abs=1e-6
    )


def test_the_sum_of_series_is_taken_at_every_moment() -> None:
    """Peaks at different times do not add up: 300 + 100 and 100 + 300 never make 600."""
    first = gauge([0, 60], [300, 100], stale_s=60)
    second = gauge([0, 60], [100, 300], stale_s=60)
    moments, level = total([first, second])
    assert list(moments) == [0, 60, 120]
    assert list(level) == [400, 400, 0]


def test_series_join_in_order_of_time() -> None:
    """The chunks that a source returns become one series, with their extremes."""
    coarse = Series.of_intervals(
        [0], [3600], [5], minimum=[1], maximum=[9], unit="W", source="test"
    )
    both = joined([gauge([3600, 3660], [2, 3], stale_s=60), coarse])
    assert list(both.start_s) == [0, 3600, 3660]
    assert list(both.greatest) == [9, 2, 3]
    assert both.native_step_s == 3600
