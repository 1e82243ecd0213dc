"""Requests from run times and run times from requests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import ParameterError
from schedlab.testing.strategies import workloads
from schedlab.workload import Workload
from schedlab.workload.transforms import set_request, set_run

JOBS = 20_000


def alike(run_s: int, request_s: int) -> Workload:
    """Return many jobs of the same run time and request."""
    return Workload(
        {
            "job_id": np.arange(JOBS),
            "submit_s": np.zeros(JOBS),
            "nodes": np.ones(JOBS),
            "request_s": np.full(JOBS, request_s),
            "run_s": np.full(JOBS, run_s),
        }
    )


def test_set_request_sets_the_request() -> None:
    """With a walltime request accuracy of 0.2 users ask for five times what they need."""
    assert set(set_request(alike(60, 7), 0.2)["request_s"]) == {300}
    assert set(set_request(alike(60, 7), 1.0)["request_s"]) == {60}


def test_set_run_sets_the_run_time() -> None:
    """A model may give requests; here half of each is really used."""
    made = set_run(alike(7, 3600), 0.5)
    assert set(made["run_s"]) == {1800}
    assert set(made["request_s"]) == {3600}


def test_a_request_is_at_least_a_second() -> None:
    """A job of zero length still has to ask for something."""
    assert set(set_request(alike(0, 7), 1.0)["request_s"]) == {1}


def test_random_accuracy_is_uniform_with_the_mean_asked_for() -> None:
    """A mean of 0.5 is uniform on 0..1; a mean of 0.8 is uniform on 0.6..1."""
    half = set_run(alike(7, 1_000_000), 0.5, random=True, seed=1)["run_s"] / 1_000_000
    assert np.percentile(half, [5, 25, 50, 75, 95]) == pytest.approx(
        [0.05, 0.25, 0.5, 0.75, 0.95], abs=0.02
    )
    high = set_run(alike(7, 1_000_000), 0.8, random=True, seed=1)["run_s"] / 1_000_000
    assert high.min() == pytest.approx(0.6, abs=0.01)
    assert high.max() == pytest.approx(1.0, abs=0.01)


def test_random_wra_has_the_mean_asked_for_and_bounded_requests() -> None:
    """The mean is that of run / request; a request is at most a hundred times the run time."""
    request_s = set_request(alike(1_000_000, 7), 0.5, random=True, seed=1)["request_s"]
    assert (1_000_000 / request_s).mean() == pytest.approx(0.5, abs=0.01)
    assert request_s.min() >= 1_000_000
    assert request_s.max() <= 100_000_000


@pytest.mark.parametrize("ratio", [0.0, -1.0, 1.5, float("nan")])
def test_impossible_ratios_are_refused(ratio: float) -> None:
    """A request of 0 or below the run time is not what accuracy means."""
    with pytest.raises(ParameterError, match=r"must be from 0\.01 to 1"):
        set_request(alike(1, 1), ratio)


def test_the_seed_is_recorded_only_where_chance_played_a_part() -> None:
    """Provenance has only what is needed to repeat the step."""
    assert "seed" not in set_request(alike(1, 1), 0.5).provenance[-1]
    assert set_request(alike(1, 1), 0.5, random=True, seed=3).provenance[-1]["seed"] == 3


@given(workloads(), st.floats(0.01, 1), st.booleans())
def test_no_request_falls_below_the_run_time(
    workload: Workload, ratio: float, random: bool
) -> None:
    """Accuracy is at most 1, so no job asks for less than it needs, rounding included."""
    made = set_request(workload, ratio, random=random)
    assert np.all(made["request_s"] >= made["run_s"])
