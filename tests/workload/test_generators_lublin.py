"""The Lublin model against measurements of its authors' program (100,000 jobs each)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedlab.errors import ParameterError
from schedlab.workload import Workload
from schedlab.workload.generators.lublin import Lublin, LublinArrivals, LublinRunTimes, Sizes
from schedlab.workload.generators.lublin.daily_cycle import DailyCycle, gamma_cdf

JOBS = 200_000
QUANTILES = [10, 25, 50, 75, 90, 95, 99]


@pytest.fixture(scope="module")
def typeless() -> Workload:
    """The configuration of the reference: typeless, 256 nodes, everything else published."""
    return Lublin().for_nodes(256).generate(JOBS, seed=1)


@pytest.fixture(scope="module")
def typed() -> Workload:
    """Batch and interactive streams on the published 128 nodes."""
    return Lublin(typed=True).generate(JOBS, seed=3)


def quantiles(values: np.ndarray) -> np.ndarray:
    """Return the quantiles of the reference table."""
    return np.asarray(np.percentile(values, QUANTILES))


def powers_of_two(nodes: np.ndarray) -> np.ndarray:
    """Return which parallel jobs have a power of two as size."""
    return np.asarray((nodes > 1) & (nodes & (nodes - 1) == 0))


def test_sizes_follow_the_published_shares(typeless: Workload) -> None:
    """Rounding makes some of the "other" sizes powers of two, so it is 0.616 and not 0.576."""
    nodes = typeless["nodes"]
    assert np.mean(nodes == 1) == pytest.approx(0.2451, abs=0.004)
    assert np.mean(powers_of_two(nodes)) == pytest.approx(0.6160, abs=0.004)
    assert nodes.mean() == pytest.approx(22.06, rel=0.02)
    assert np.percentile(nodes, [50, 90, 95, 99, 100]).tolist() == [8, 64, 128, 256, 256]


def test_size_distribution_value_by_value(typeless: Workload) -> None:
    """The probability of each common size agrees with the program's."""
    reference = {
        **{1: 0.2451, 2: 0.0905, 3: 0.0160, 4: 0.1194, 5: 0.0090, 6: 0.0079, 7: 0.0072},
        **{8: 0.1110, 16: 0.1084, 32: 0.1060, 64: 0.0321, 128: 0.0323, 256: 0.0163},
    }
    shares = {size: float(np.mean(typeless["nodes"] == size)) for size in reference}
    assert shares == pytest.approx(reference, abs=0.004)


def test_run_time_quantiles(typeless: Workload) -> None:
    """Two modes, seconds and hours, with nothing beyond e^12 s."""
    run_s = typeless["run_s"]
    assert quantiles(run_s) == pytest.approx([7, 21, 144, 8321, 15534, 20552, 34575], rel=0.03)
    assert run_s.mean() == pytest.approx(4868, rel=0.02)
    assert run_s.max() <= np.exp(12)
    assert run_s.min() >= 1


def test_wide_jobs_run_longer(typeless: Workload) -> None:
    """The share of jobs over an hour rises with the size, from a quarter to nearly all."""
    reference = {1: 0.249, 8: 0.275, 32: 0.401, 128: 0.907, 256: 0.990}
    nodes, run_s = typeless["nodes"], typeless["run_s"]
    shares = {size: float(np.mean(run_s[nodes == size] > 3600)) for size in reference}
    assert shares == pytest.approx(reference, abs=0.015)
    assert np.corrcoef(np.log(nodes), np.log(run_s))[0, 1] == pytest.approx(0.258, abs=0.01)


def test_inter_arrival_quantiles(typeless: Workload) -> None:
    """Quantiles are compared, as the mean of such a heavy tail hardly settles."""
    gaps_s = np.diff(typeless["submit_s"])
    assert quantiles(gaps_s) == pytest.approx([18, 41, 115, 375, 1234, 2640, 13073], rel=0.04)
    assert np.mean(gaps_s > 1800) == pytest.approx(0.0720, abs=0.003)


def test_daily_weights_are_the_published_ones() -> None:
    """The weight is least at 05:00 and greatest at 13:30; the mean is 1."""
    weights = LublinArrivals().cycle().weights
    assert weights[[0, 10, 11, 24, 27, 28, 47]] == pytest.approx(
        [0.508, 0.165, 0.239, 1.733, 1.833, 1.832, 0.564], abs=0.0006
    )
    assert np.argmin(weights) == 10
    assert np.argmax(weights) == 27
    assert weights.mean() == pytest.approx(1)


def test_gamma_distribution_function() -> None:
    """It has the closed form for whole shapes, and the mass of the weights before normalising."""
    for x in (0.5, 3.0, 40.0):
        assert gamma_cdf(x, 1, 2) == pytest.approx(1 - np.exp(-x / 2))
        assert gamma_cdf(x, 2, 2) == pytest.approx(1 - np.exp(-x / 2) * (1 + x / 2))
    mass = gamma_cdf(58.5, 8.1737, 3.9631) - gamma_cdf(10.5, 8.1737, 3.9631)
    assert mass == pytest.approx(0.97160, abs=1e-5)


def test_arrivals_keep_the_rhythm_of_the_day_to_the_end(typeless: Workload) -> None:
    """Truncating each arrival would let the cycle drift by hours; both halves must show it."""
    weights = LublinArrivals().cycle().weights
    for part in (typeless["submit_s"][: JOBS // 2], typeless["submit_s"][JOBS // 2 :]):
        share = np.bincount(part // 1800 % 48, minlength=48) / len(part) * 48
        assert np.corrcoef(share, weights)[0, 1] > 0.99


def test_points_and_times_are_inverse() -> None:
    """No time has passed at the time of day of the start."""
    cycle = LublinArrivals().cycle()
    for clock_s in (0.0, 5 * 3600.0, 86399.0):
        assert cycle.time_s(np.array([cycle.points_at(clock_s)]))[0] == pytest.approx(clock_s)


def test_without_the_cycle_gaps_are_the_bare_gamma() -> None:
    """The median of exp(gamma(10.46, 0.4871)) is 139 s at every hour."""
    flat = Lublin(daily_cycle=False).generate(50_000, seed=2)
    assert np.median(np.diff(flat["submit_s"])) == pytest.approx(139, rel=0.03)
    by_hour = np.bincount(flat["submit_s"] // 3600 % 24, minlength=24)
    assert by_hour.min() > 0.8 * by_hour.mean()


def test_start_hour_moves_the_day() -> None:
    """A workload that starts at noon has its quiet night about 17 h later, not 5 h."""
    noon = Lublin(start_hour=12).generate(50_000, seed=2)
    by_hour = np.bincount(noon["submit_s"] // 3600 % 24, minlength=24)
    assert np.argmin(by_hour) in (16, 17)


def test_typed_workloads(typed: Workload) -> None:
    """Interactive jobs are five of six, short and small; batch jobs (queue 1) are the rest.

    The share of batch jobs varies by half a percent between draws, because of gaps of days, and the
    upper run times vary with it.
    """
    assert np.mean(typed["queue"] == 1) == pytest.approx(0.1465, abs=0.012)
    assert np.mean(typed["nodes"] == 1) == pytest.approx(0.1728, abs=0.004)
    assert np.mean(powers_of_two(typed["nodes"])) == pytest.approx(0.6930, abs=0.006)
    assert quantiles(typed["run_s"]) == pytest.approx([3, 6, 18, 87, 876, 14079, 32194], rel=0.08)
    gaps_s = np.diff(typed["submit_s"])
    assert quantiles(gaps_s)[1:] == pytest.approx([17, 51, 185, 667, 1548, 8256], rel=0.04)


def test_the_model_has_no_users_and_no_requests(typeless: Workload) -> None:
    """What the model does not say is not invented; the request is the run time."""
    assert typeless.columns == ("job_id", "submit_s", "nodes", "request_s", "run_s", "status")
    assert np.array_equal(typeless["request_s"], typeless["run_s"])


def test_the_same_seed_gives_the_same_workload() -> None:
    """Another seed gives another workload."""
    model = Lublin(typed=True)
    assert model.generate(500, seed=3) == model.generate(500, seed=3)
    assert model.generate(500, seed=3) != model.generate(500, seed=4)


def test_each_purpose_has_its_own_random_numbers() -> None:
    """Changing the arrivals leaves sizes and run times as they were."""
    plain = Lublin().generate(500, seed=3)
    flat = Lublin(daily_cycle=False).generate(500, seed=3)
    assert np.array_equal(plain["nodes"], flat["nodes"])
    assert np.array_equal(plain["run_s"], flat["run_s"])
    assert not np.array_equal(plain["submit_s"], flat["submit_s"])


@pytest.mark.parametrize("nodes", [2, 3, 8, 100, 1000, 65536])
@pytest.mark.parametrize("is_typed", [False, True])
def test_sizes_fit_any_machine(nodes: int, is_typed: bool) -> None:
    """Rounding log sizes would give 128 nodes on a machine of 100; no job is wider than it."""
    workload = Lublin(typed=is_typed).for_nodes(nodes).generate(20_000)
    assert workload["nodes"].max() <= nodes
    assert workload.header["MaxNodes"] == (str(nodes),)


def test_constants_can_be_changed_and_are_recorded() -> None:
    """Every constant is a field; provenance holds them all with the seed."""
    model = Lublin()
    serial = replace(model.typeless, sizes=Sizes(serial=1.0, pow2=0.0))
    workload = replace(model, typeless=serial).generate(100, seed=9)
    assert set(workload["nodes"]) == {1}
    step = workload.provenance[-1]
    assert (step["step"], step["seed"]) == ("generate", 9)
    assert step["typeless"]["sizes"]["serial"] == 1.0


def test_a_limit_on_real_gaps_holds_with_the_cycle() -> None:
    """The night stretches gaps; with a limit the stretched gap is drawn again."""
    arrivals = LublinArrivals(max_gap_s=600)
    times_s = arrivals.draw(np.random.default_rng(1), 5000, arrivals.cycle())
    assert len(times_s) == 5000
    assert np.diff(times_s).max() <= 600


def test_impossible_constants_are_refused() -> None:
    """Each error has the value and what is allowed."""
    with pytest.raises(ParameterError, match=r"serial is 1\.5; must be from 0 to 1"):
        Sizes(serial=1.5)
    with pytest.raises(ParameterError, match=r"serial \+ pow2"):
        Sizes(serial=0.6, pow2=0.6)
    with pytest.raises(ParameterError, match="must not fall"):
        Sizes(u_med=9)
    with pytest.raises(ParameterError, match="alpha2 is -1; must be above 0"):
        LublinRunTimes(alpha2=-1)
    with pytest.raises(ParameterError, match="start_hour"):
        Lublin(start_hour=24)
    with pytest.raises(ParameterError, match="cannot generate 0 jobs"):
        Lublin().generate(0)
    with pytest.raises(ParameterError, match="needs >= 2"):
        Lublin().for_nodes(1)


def test_cuts_that_refuse_nearly_everything_end_in_a_sentence() -> None:
    """Drawing again for ever would look like a hang."""
    rng = np.random.default_rng(1)
    with pytest.raises(ParameterError, match="raise the cut"):
        LublinRunTimes(max_ln_run=1e-9).draw(rng, np.ones(10, dtype=np.int64))
    with pytest.raises(ParameterError, match="max_gap_s"):
        LublinArrivals(max_gap_s=1e-9).draw(rng, 10, DailyCycle.flat())
