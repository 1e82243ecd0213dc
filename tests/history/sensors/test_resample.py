"""Steps of another length: the integral stays what it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.sensors.resample import (
    AGGREGATES,
    coverage,
    integral,
    mean,
    resample,
    thinned,
)
from schedlab.history.sensors.series import Series

values = st.floats(-1e6, 1e6)


@st.composite
def some_series(draw: st.DrawFn) -> Series:
    """Draw samples at uneven times, with gaps."""
    steps = draw(st.lists(st.integers(1, 400), min_size=1, max_size=40))
    times = 1_700_000_000.0 + np.cumsum(steps)
    numbers = draw(st.lists(values, min_size=len(times), max_size=len(times)))
    stale = draw(st.sampled_from([None, 30.0, 1000.0]))
    return Series.of_samples(times, numbers, stale_s=stale, unit="W", source="test")


def minutes(*numbers: float) -> Series:
    """Return a series with a value for each minute from 0 on."""
    times = 60.0 * np.arange(len(numbers))
    return Series.of_samples(times, numbers, stale_s=60, unit="W", source="test")


@settings(max_examples=40)
@given(some_series(), st.integers(1, 2000), st.floats(0, 0.4), st.floats(0.6, 1))
def test_resampling_conserves_the_integral(
    series: Series, freq_s: int, left: float, right: float
) -> None:
    """The mean is weighted by time, so energy is the same at every resolution, gaps or none."""
    length = series.end_s[-1] - series.start_s[0]
    from_s, to_s = series.start_s[0] + left * length, series.start_s[0] + right * length
    coarse = resample(series, freq_s, from_s=from_s, to_s=to_s)
    whole = np.dot(np.abs(series.mean), series.length_s)
    assert integral(coarse, from_s, to_s) == pytest.approx(
        integral(series, from_s, to_s), abs=1e-9 * whole + 1e-6
    )


@settings(max_examples=40)
@given(some_series(), st.integers(1, 2000))
def test_means_lie_between_the_extremes(series: Series, freq_s: int) -> None:
    """A coarse series keeps the extremes of what it averages."""
    span: dict[str, Any] = {"from_s": series.start_s[0], "to_s": series.end_s[-1]}
    coarse = resample(series, freq_s, **span)
    slack = 1e-6
    assert np.all(coarse.least <= coarse.mean + slack)
    assert np.all(coarse.mean <= coarse.greatest + slack)
    assert coarse.greatest.max() == series.greatest.max()
    assert coarse.least.min() == series.least.min()


@settings(max_examples=40)
@given(some_series(), st.integers(1, 500), st.integers(1, 5))
def test_resampling_twice_is_resampling_once(series: Series, freq_s: int, times: int) -> None:
    """A step of a quarter of an hour is three steps of five minutes, however one gets there."""
    span: dict[str, Any] = {"from_s": series.start_s[0], "to_s": series.end_s[-1]}
    freq_s += int(series.native_step_s)
    once = resample(series, freq_s * times, **span)
    twice = resample(resample(series, freq_s, **span), freq_s * times, **span)
    np.testing.assert_allclose(twice.mean, once.mean, rtol=1e-9, atol=1e-3)


def test_a_step_is_weighted_by_overlap() -> None:
    """A sample that holds for 30 s of the step counts half as much as one that holds for 60 s."""
    steps = resample(minutes(100, 200, 400), 90, from_s=0, to_s=180)
    assert list(steps.mean) == pytest.approx(
        [(100 * 60 + 200 * 30) / 90, (200 * 30 + 400 * 60) / 90]
    )


def test_the_last_step_ends_with_the_job() -> None:
    """What the node did after the end does not belong to the job."""
    steps = resample(minutes(100, 200, 400), 120, from_s=0, to_s=150)
    assert list(steps.end_s) == [120, 150]
    assert list(steps.mean) == [150, 400]


@pytest.mark.parametrize(
    ("agg", "expected"),
    [("mean", 20), ("min", 10), ("max", 30), ("last", 30), ("sum", 10 * 60 + 20 * 60 + 30 * 60)],
)
def test_other_aggregates(agg: str, expected: float) -> None:
    """The aggregate is chosen by its name; a sum is over time, as energy is of power."""
    assert list(resample(minutes(10, 20, 30), 180, agg, from_s=0, to_s=180).mean) == [expected]


def test_steps_finer_than_native_ones_are_native() -> None:
    """Nothing is made up between samples."""
    series = minutes(10, 20)
    assert resample(series, 5, from_s=0, to_s=120).start_s.tolist() == [0, 60]


def test_where_nothing_is_known_there_is_no_step() -> None:
    """A gap is a gap at every resolution, not a zero."""
    series = Series.of_samples([0, 600], [1, 2], stale_s=60, unit="W", source="test")
    assert resample(series, 700, from_s=0, to_s=660).mean.tolist() == [1.5]
    ten_minutes = Series.of_samples([0, 60, 1200], [1, 1, 2], stale_s=60, unit="W", source="test")
    assert resample(ten_minutes, 300, from_s=0, to_s=1260).start_s.tolist() == [0, 1200]


def test_wrong_steps_and_aggregates_are_refused() -> None:
    """A user's slip is one sentence."""
    with pytest.raises(ParameterError, match="must be above 0"):
        resample(minutes(1), 0, from_s=0, to_s=60)
    with pytest.raises(UnknownNameError, match='did you mean "mean"'):
        resample(minutes(1), 60, "meen", from_s=0, to_s=60)
    assert set(AGGREGATES) == {"mean", "min", "max", "last", "sum"}


def test_coverage_is_the_share_of_expected_samples() -> None:
    """A sample that also stands in for two missing ones counts as one of three."""
    times = [0, 60, 120, 180, 360, 420]
    series = Series.of_samples(times, [1] * 6, stale_s=180, unit="W", source="test")
    assert coverage(series, 0, 480) == pytest.approx(6 / 8, abs=0.01)
    assert coverage(series, 0, 180) == 1
    assert coverage(series, 1000, 2000) == 0


def test_the_mean_of_nothing_is_no_number() -> None:
    """A mean without data is NaN, not zero."""
    assert np.isnan(mean(minutes(1), 1000, 2000))


@settings(max_examples=40)
@given(st.lists(values, min_size=1, max_size=400), st.integers(4, 100))
def test_thinning_keeps_the_outline(numbers: list[float], points: int) -> None:
    """A picture of few points has the peaks of all, at their true times."""
    series = minutes(*numbers)
    time, value = thinned(series, points)
    assert len(time) <= max(points, 4)
    assert value.max() == max(numbers)
    assert value.min() == min(numbers)
    assert (time[0], time[-1]) == (series.start_s[0], series.start_s[-1])
    assert set(zip(time, value, strict=True)) <= set(zip(series.start_s, series.mean, strict=True))


def test_thinning_needs_four_points() -> None:
    """The four points are the first, the last, the least and the greatest."""
    with pytest.raises(ParameterError, match=">= 4"):
        thinned(minutes(1), 3)
