"""What is requested, and how accurate it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.analysis import BoxPlot, Histogram, RequestDensity
from schedlab.analysis.requests import Requests, requests_by_frequency, wra_by_request_hour

HOUR = 3600


def test_an_hour_of_request_ends_with_its_round_number() -> None:
    """A request of exactly 1 h is of hour 1; a second more belongs to hour 2."""
    found = wra_by_request_hour(
        np.array([60, HOUR, HOUR + 1, 72 * HOUR]), np.array([0.2, 0.4, 1, 0.1])
    )
    assert found.rows() == [(1, 2, pytest.approx(0.3)), (2, 1, 1.0), (72, 1, 0.1)]


def test_commonest_requests_come_first() -> None:
    """Of equally common requests the shorter comes first."""
    found = requests_by_frequency(np.array([9, 5, 9, 7]), np.array([0.5, 1.0, 0.1, 0.2]))
    assert found.rows() == [(9, 2, 0.5, 0.3), (5, 1, 0.25, 1.0), (7, 1, 0.25, 0.2)]


def test_requests_in_few_numbers() -> None:
    """Two of three ask for whole hours, one runs beyond its request."""
    found = Requests.of(np.array([HOUR, 24 * HOUR, 100]), np.array([0.5, 1.2, 0.1]))
    assert (found.jobs, found.max_request_s, found.beyond_request) == (3, 24 * HOUR, 1)
    assert found.mean_wra == pytest.approx(0.6)
    assert found.whole_hours == pytest.approx(2 / 3)
    assert found.to_dict()["distinct"] == 3


@given(
    st.lists(
        st.tuples(st.integers(1, 2**40), st.floats(0, 5, allow_nan=False)), min_size=1, max_size=50
    )
)
def test_every_job_has_a_place_in_the_density(jobs: list[tuple[int, float]]) -> None:
    """Every job counts, whatever it requested and used; the edges enclose all requests."""
    request_s, wra = (np.array(column) for column in zip(*jobs, strict=True))
    density = RequestDensity.of(request_s, wra)
    assert np.sum(density.jobs) == len(jobs)
    assert density.request_edges_s[0] < request_s.min()
    assert density.request_edges_s[-1] >= request_s.max() * (1 - 1e-9)


def test_density_of_one_job() -> None:
    """A job that uses its whole request is in the last class of WRA."""
    density = RequestDensity.of(np.array([600]), np.array([1.0]))
    row = next(row for row in density.jobs if sum(row))
    assert row[-1] == 1


def test_box_plot_of_five_values() -> None:
    """Quartiles fall on values."""
    assert BoxPlot.of(np.array([5, 1, 2, 3, 9])) == BoxPlot(1, 2, 3, 5, 9, 4)


def test_classes_double() -> None:
    """The classes are 0 to 1, 2, 3 to 4 and 5 to 8: an edge belongs to the class that it ends."""
    found = Histogram.doubling(np.array([0, 1, 2, 3, 4, 5, 8]))
    assert found == Histogram((0, 1, 2, 4, 8), (2, 1, 2, 2))
