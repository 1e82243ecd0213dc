"""The data behind the figures of jobs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.history.schema import Provenance
from schedlab.history.web.plots.look import ticks_up_to
from schedlab.history.web.plots.roofline import roof, roofline_figure
from schedlab.history.web.plots.timeline import MOST_LINES, timeline_figure
from schedlab.history.web.plots.waiting import waiting_figure
from schedlab.history.web.queries.job_series import band, line, mean_over_places
from schedlab.history.web.queries.timelines import TimelinePart


def answer(start: list[float], end: list[float] | None, value: list[float]) -> TimelinePart:
    """Return a timeline of 100 s, measured every 10 s."""
    starts, values = np.array(start, np.float64), np.array(value, np.float64)
    ends = None if end is None else np.array(end, np.float64)
    about = Provenance(native_step_s=10.0)
    return TimelinePart(0.0, 100.0, None, starts, ends, values, None, None, about)


def test_a_line_ends_where_nothing_is_known() -> None:
    """A gap must not look as if the last value had held through it."""
    columns = line(answer([0, 10, 50], [10, 20, 60], [1, 2, 3]))
    assert columns["t"].tolist() == [0, 10, 10, 20, 20, 50, 60]
    np.testing.assert_array_equal(columns["v"], [1, 1, 2, 2, np.nan, 3, 3])


def test_a_thinned_line_has_gaps_too() -> None:
    """Of many points some remain; two that are much further apart than the rest enclose a gap."""
    time = [*range(0, 40, 1), *range(90, 100, 1)]
    columns = line(answer([float(each) for each in time], None, [1.0] * len(time)))
    gap = columns["t"][np.isnan(columns["v"])]
    assert 39 < gap[0] < 90


def test_a_band_is_of_the_hosts_that_are_known() -> None:
    """Each step has the minimum, median and maximum; where no host is known, the area is empty."""
    hosts = [answer([0, 50], [50, 100], [first, 9]) for first in (1, 2, 6)]
    hosts.append(answer([0], [50], [4]))
    columns = band(hosts, np.array([0.0, 50.0, 100.0, 150.0]))
    assert columns["t"].tolist() == [0, 50, 50, 100, 100, 150]
    assert columns["low"].tolist() == [1, 1, 9, 9, 0, 0]
    assert columns["high"].tolist() == [6, 6, 9, 9, 0, 0]
    np.testing.assert_array_equal(columns["v"], [3, 3, 9, 9, np.nan, np.nan])


def test_a_band_of_nothing_is_flat() -> None:
    """The flat band replaces the one that was drawn before."""
    columns = band([], np.array([0.0, 1.0]))
    assert columns["t"].tolist() == [0, 1]
    assert columns["low"].tolist() == columns["high"].tolist() == [0, 0]


def test_a_job_is_compared_by_the_mean_over_its_hosts() -> None:
    """In each step, the mean is over the hosts that are known."""
    hosts = [answer([0], [100], [1]), answer([0], [50], [3])]
    columns = mean_over_places(hosts, np.array([0.0, 50.0, 100.0]))
    assert columns["v"].tolist() == [2, 2, 1, 1]


def test_the_roof_has_its_ridge_where_both_limits_meet() -> None:
    """For 1000 Gflop/s and 100 GB/s, the ridge is at ten operations per byte; then it is flat."""
    intensity, gflop = roof(1e12, 1e11)
    assert 10.0 in intensity
    assert gflop[intensity.index(10.0)] == pytest.approx(1_000)
    assert gflop[-1] == pytest.approx(1_000)
    assert gflop[0] == pytest.approx(100 * intensity[0])


@pytest.mark.slow
def test_figures_have_the_sources_that_scripts_fill() -> None:
    """Figures have a line for each host, or a band; a script finds the sources by their names.

    The last source has no name: it keeps 0 within the range of the values.
    """
    few, many = timeline_figure(3, "W"), timeline_figure(MOST_LINES + 1, "W")
    assert [each.data_source.name for each in few.renderers] == ["line-0", "line-1", "line-2", None]
    assert {each.data_source.name for each in many.renderers} == {"band", None}
    assert roofline_figure().renderers[-1].data_source.name == "points"
    waiting = waiting_figure(np.array([0.0, 1e3, 2e3]), np.array([1.0, 2.0, 0.0]), 1, 2)
    assert waiting.y_range.end > 2


@given(st.floats(1e-6, 1e9))
def test_no_two_ticks_have_one_label(top: float) -> None:
    """Bokeh's ticks are 1, 2 or 5 times a power of ten apart, and at most ten."""
    steps = [each * 10.0**power for power in range(-8, 10) for each in (1, 2, 5)]
    step = min(each for each in steps if each >= top / 10)
    digits = str(ticks_up_to(top).format).count("0") - 2
    labels = [f"{step * tick:.{digits}f}" for tick in range(int(top / step) + 1)]
    assert len(set(labels)) == len(labels)
