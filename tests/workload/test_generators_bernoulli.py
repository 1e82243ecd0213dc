"""The generator of jobs for the small grid."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.errors import ParameterError
from schedlab.workload.generators.bernoulli import Bernoulli

JOBS = 50_000


@pytest.mark.parametrize("load", [0.1, 0.7, 1.3, 1.6, 1.9, 4.0])
def test_the_load_is_what_was_asked_for(load: float) -> None:
    """This holds also above 184.5 %, where one arrival per unit is not enough."""
    workload = Bernoulli(load).generate(JOBS, seed=1)
    assert workload.offered_load(10) == pytest.approx(load, rel=0.03)


def test_at_most_one_arrival_per_unit_up_to_the_limit() -> None:
    """A second arrival in the same unit comes only with loads beyond the limit."""
    assert np.diff(Bernoulli(1.8).generate(1000)["submit_s"]).min() == 1
    beyond = Bernoulli(1.9).generate(1000)["submit_s"]
    assert np.bincount(beyond).max() == 2
    assert np.bincount(beyond).min() == 1


def test_time_units_instead_of_jobs() -> None:
    """The paper draws for 100 units, so the number of jobs is random: about 54 at full load."""
    counts = [len(Bernoulli(1.0).generate_units(100, seed)) for seed in range(50)]
    assert np.mean(counts) == pytest.approx(100 / 1.845, rel=0.05)
    assert Bernoulli(1.0).generate_units(100)["submit_s"].max() < 100


def test_jobs_are_drawn_from_the_published_ranges() -> None:
    """80 % run 1 to 3 units, the rest 10 to 15; half take 1 or 2 resources, half 5 to 10."""
    workload = Bernoulli().generate(JOBS, seed=2)
    run_s, nodes = workload["run_s"], workload["nodes"]
    assert set(run_s) == {1, 2, 3, *range(10, 16)}
    assert set(nodes) == {1, 2, *range(5, 11)}
    assert np.mean(run_s <= 3) == pytest.approx(0.8, abs=0.01)
    assert np.mean(nodes <= 2) == pytest.approx(0.5, abs=0.01)
    assert run_s.mean() == pytest.approx(4.1, rel=0.02)
    assert nodes.mean() == pytest.approx(4.5, rel=0.02)
    assert np.array_equal(workload["request_s"], run_s)


def test_a_time_unit_may_last_longer_than_a_second() -> None:
    """Times are whole units, in seconds."""
    minutes = Bernoulli(unit_s=60).generate(100, seed=3)
    seconds = Bernoulli().generate(100, seed=3)
    assert np.array_equal(minutes["submit_s"], 60 * seconds["submit_s"])
    assert np.array_equal(minutes["run_s"], 60 * seconds["run_s"])


def test_the_same_seed_gives_the_same_workload() -> None:
    """Another seed gives another workload."""
    assert Bernoulli().generate(50, seed=1) == Bernoulli().generate(50, seed=1)
    assert Bernoulli().generate(50, seed=1) != Bernoulli().generate(50, seed=2)


def test_impossible_settings_are_refused() -> None:
    """Each error has the value and what is allowed."""
    with pytest.raises(ParameterError, match="load is 0; must be above 0, from 1e-06 to"):
        Bernoulli(0)
    with pytest.raises(ParameterError, match=r"short_run is 3\.\.1"):
        Bernoulli(short_run=(3, 1))
    with pytest.raises(ParameterError, match="do not fit on 4"):
        Bernoulli(nodes=4)
    with pytest.raises(ParameterError, match="time units"):
        Bernoulli().generate_units(0)
