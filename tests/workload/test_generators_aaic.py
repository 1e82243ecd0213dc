"""The stand-in for AAIC has the properties published about it."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.errors import ParameterError
from schedlab.workload import Workload
from schedlab.workload.generators import Aaic


@pytest.fixture(scope="module")
def year() -> Workload:
    """A workload with as many jobs as AAIC had in the year of the paper."""
    return Aaic().generate(201_258, seed=1)


def test_published_properties(year: Workload) -> None:
    """Table 1: 78 users, requests up to 336 h, mean WRA 0.090, jobs under 90 s left out."""
    assert len(np.unique(year["user"])) == 78
    assert year["request_s"].max() == 336 * 3600
    assert np.mean(year["run_s"] / year["request_s"]) == pytest.approx(0.09, abs=0.002)
    assert year["run_s"].min() >= 90
    assert np.all(year["run_s"] <= year["request_s"])
    assert year["nodes"].max() <= 256


@pytest.mark.parametrize("seed", range(5))
def test_any_seed_keeps_accuracy_and_load(seed: int) -> None:
    """Users differ from seed to seed, but not what the paper says of all jobs together."""
    workload = Aaic().generate(10_000, seed)
    assert np.mean(workload["run_s"] / workload["request_s"]) == pytest.approx(0.09, abs=0.006)
    assert workload.offered_load(256) == pytest.approx(0.45, rel=0.05)
    busy = np.count_nonzero(np.bincount(workload["user"]) >= 10)
    assert 20 <= busy <= 30


def test_few_users_have_most_jobs(year: Workload) -> None:
    """The tail is heavy: the busiest user has 39 % of the jobs, half of the users less than 2 %."""
    jobs = np.sort(np.bincount(year["user"]))[::-1]
    assert jobs[0] / jobs.sum() == pytest.approx(0.39, abs=0.01)
    assert jobs[39:].sum() < 0.02 * jobs.sum()


def test_gpus_and_requests_are_round(year: Workload) -> None:
    """GPUs are powers of two, and requests are whole hours."""
    gpus = year["nodes"]
    assert np.all(gpus & (gpus - 1) == 0)
    assert np.all(year["request_s"] % 3600 == 0)


def test_days_are_busier_than_nights(year: Workload) -> None:
    """Arrivals follow the daily cycle of Lublin and Feitelson."""
    hour = year["submit_s"] % 86_400 // 3600
    by_day, by_night = np.isin(hour, range(10, 18)), np.isin(hour, range(0, 8))
    assert by_day.sum() > 2 * by_night.sum()


def test_a_denser_stand_in() -> None:
    """The load can be chosen; the jobs stay the same."""
    dense, usual = Aaic(load=0.9).generate(2000, 3), Aaic().generate(2000, 3)
    assert dense.offered_load(256) == pytest.approx(2 * usual.offered_load(256), rel=0.05)
    assert np.array_equal(dense["run_s"], usual["run_s"])


def test_impossible_accuracy_is_refused() -> None:
    """No request is shorter than the run."""
    with pytest.raises(ParameterError, match=r"mean_wra is 0\.95; must be above 0\.03"):
        Aaic(mean_wra=0.95)
