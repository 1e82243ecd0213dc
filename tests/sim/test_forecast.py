"""Forecasts of starts: what they know, how they learn, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from schedlab.analysis.clock import Clock
from schedlab.analysis.forecast_scores import PastWaits, pinball, score_forecasts
from schedlab.analysis.forecast_words import moments_in_words, start_in_words
from schedlab.errors import ParameterError, WorkloadError
from schedlab.sim import Forecaster, Simulation, StartForecast, simulate
from schedlab.sim.forecast import FORECAST_LEVELS
from schedlab.sim.forecast.calibration import StartCalibration
from schedlab.sim.forecast.futures import ALIKE, DAY_S, WEEK_S, PastArrivals, drawn_levels
from schedlab.workload import Workload


def busy(jobs: int = 400, seed: int = 1, run_s: NDArray[np.int64] | None = None) -> Workload:
    """Return jobs that need a little more than 16 nodes.

    By default a job runs for half of its request on average.
    """
    rng = np.random.default_rng(seed)
    request = rng.choice([600, 1800, 7200], jobs)
    drawn = np.maximum(1, (request * rng.uniform(0.1, 0.9, jobs)).astype(int))
    return Workload(
        {
            "job_id": np.arange(1, jobs + 1),
            "submit_s": np.sort(rng.integers(0, jobs * 500, jobs)),
            "nodes": rng.choice([1, 2, 4, 8], jobs),
            "request_s": request,
            "run_s": drawn if run_s is None else run_s,
            "user": rng.integers(0, 5, jobs),
        }
    )


def at_half(workload: Workload, nodes: int = 16) -> Simulation:
    """Return the simulation at the submission of the middle one of the jobs that have to wait."""
    truth = simulate(workload, nodes, "easy")
    waited = np.flatnonzero(truth.start_s > workload["submit_s"])
    time_s = int(workload["submit_s"][waited[len(waited) // 2]])
    return Simulation(workload, nodes, "easy").run(time_s)


def test_a_forecast_knows_nothing_of_the_future() -> None:
    """Other run times and other jobs from now on do not change the forecast."""
    workload = busy()
    simulation = at_half(workload)
    told = simulation.forecast(forks=20, seed=3)
    assert len(told) == simulation.unfinished().is_waiting.sum()
    ended = simulation.end_times() >= 0
    known = workload["submit_s"] <= simulation.now_s
    other = np.where(ended, workload["run_s"], workload["request_s"])
    later = workload.replace(run_s=other).take(known)
    same = Simulation(later, 16, "easy").run(simulation.now_s)
    again = same.forecast(forks=20, seed=3)
    np.testing.assert_array_equal(told.job_id, again.job_id)
    np.testing.assert_array_equal(told.start_s, again.start_s)


def test_a_forecast_is_the_same_for_the_same_seed() -> None:
    """This holds on any number of threads; quantiles never fall, and no job starts before now."""
    simulation = at_half(busy())
    one = simulation.forecast(forks=30, seed=5, threads=1)
    two = simulation.forecast(forks=30, seed=5, threads=4)
    other = simulation.forecast(forks=30, seed=6)
    np.testing.assert_array_equal(one.start_s, two.start_s)
    assert not np.array_equal(one.start_s, other.start_s)
    assert (np.diff(one.start_s, axis=1) >= 0).all()
    assert (one.start_s >= simulation.now_s).all()


def test_a_certain_future_is_forecast_exactly() -> None:
    """If every job runs for its request and no job arrives, there is only one future."""
    workload = busy()
    workload = workload.replace(run_s=workload["request_s"])
    submitted = workload["submit_s"] <= at_half(workload).now_s
    workload = workload.take(submitted)
    simulation = Simulation(workload, 16, "easy").run(int(workload["submit_s"][-1]))
    forecaster = Forecaster(simulation, forks=5, arrivals=False, predict="class-quantiles")
    told = forecaster.forecast()
    truth = simulate(workload, 16, "easy").start_s[told.job]
    middle = told.quantiles([0.5])[:, 0]
    assert np.median(np.abs(middle - truth) / (truth - simulation.now_s + 60)) < 0.2


def test_intervals_hold_as_often_as_they_say() -> None:
    """They do on a long trace of similar jobs, and forecasts are better than past waits."""
    found = score_forecasts(busy(3000), 16, "easy", moments=150, jobs=10, forks=30, seed=1)
    assert found.within_80 == pytest.approx(0.8, abs=0.08)
    assert found.within_50 == pytest.approx(0.5, abs=0.1)
    assert found.of_naive < 0.8
    assert found.of_replay < 1
    assert found.as_json()["of_naive"] == found.of_naive


def test_scores_need_jobs_that_wait() -> None:
    """On a machine large enough for all jobs, no job waits."""
    with pytest.raises(ParameterError, match="no job waits at any of the moments"):
        score_forecasts(busy(20), 4096, "easy", moments=5)


def test_calibration_moves_quantiles_that_are_too_low() -> None:
    """All jobs wait e times as long as forecast: every logarithmic quantile moves by about 1."""
    calibration = StartCalibration(np.random.default_rng(0))
    said = np.repeat(np.log1p([[1000.0]]), len(FORECAST_LEVELS), axis=1)
    jobs = np.arange(30, dtype=np.int32)
    starts = np.full(30, -1)
    for moment in range(40):
        calibration.told(moment, jobs, np.repeat(said, 30, axis=0))
    calibration.learn(100, starts)
    unknown = calibration.moved(said)
    assert abs(unknown[0, 9] - said[0, 9]) < 0.2, "jobs that still wait tell little yet"
    starts[:] = 1000 * np.e
    calibration.learn(5000, starts)
    moved = calibration.moved(said)
    assert moved[0, 9] - said[0, 9] == pytest.approx(1, abs=0.05)
    assert (np.diff(moved[0]) >= 0).all()


def test_jobs_that_still_wait_count_as_late() -> None:
    """Jobs that still wait after ten times the forecast have exceeded every quantile."""
    calibration = StartCalibration(np.random.default_rng(0))
    said = np.repeat(np.log1p([[100.0]]), len(FORECAST_LEVELS), axis=1)
    for moment in range(40):
        calibration.told(moment, np.arange(9, dtype=np.int32), np.repeat(said, 9, axis=0))
    calibration.learn(1000, np.full(9, -1))
    assert calibration.moved(said)[0, 9] > said[0, 9] + 2


def test_like_jobs_of_a_user_are_short_or_long_together() -> None:
    """Levels of two similar jobs correlate, those of other jobs do not; all are uniform."""
    simulation = at_half(busy())
    jobs = simulation.unfinished()
    rows = np.column_stack([jobs.user, jobs.nodes, jobs.request_s])
    levels = drawn_levels(rows, 4000, np.random.default_rng(1))
    assert levels.mean() == pytest.approx(0.5, abs=0.02)
    kinds = [tuple(each) for each in rows]
    twins = [(a, b) for a in range(len(kinds)) for b in range(a) if kinds[a] == kinds[b]]
    others = [(a, b) for a in range(len(kinds)) for b in range(a) if kinds[a] != kinds[b]]
    assert others
    assert _correlation(levels, others[0]) == pytest.approx(0, abs=0.06)
    for pair in twins[:1]:
        assert _correlation(levels, pair) == pytest.approx(ALIKE, abs=0.08)


def _correlation(levels: NDArray[np.float64], pair: tuple[int, int]) -> float:
    return float(np.atleast_2d(np.corrcoef(levels[list(pair)]))[0, 1])


def test_jobs_come_as_in_past_weeks() -> None:
    """Arrivals are drawn from past weeks, never from later ones.

    Unfinished jobs run as long as the future says.
    """
    days = 40
    submit = np.arange(days) * DAY_S
    columns = {name: np.ones(days, int) for name in ("nodes", "request_s", "run_s")}
    workload = Workload({"job_id": np.arange(1, days + 1), "submit_s": submit, **columns})
    simulation = Simulation(workload, 1, "easy").run(30 * DAY_S - 1)
    jobs = simulation.unfinished()
    runs = np.ones((6, len(jobs)), dtype=np.int64)
    rng = np.random.default_rng(2)
    drawn = PastArrivals(workload).draw(simulation.now_s, 3 * DAY_S, jobs, runs, rng)
    for each in drawn:
        like, submit_s = np.asarray(each.like), np.asarray(each.submit_s)
        assert len(like) == 3
        assert ((submit_s - submit[like]) % WEEK_S == 0).all()
        assert submit_s.min() > simulation.now_s
        assert submit[like].max() <= simulation.now_s


def test_past_waits_given_that_a_job_has_waited() -> None:
    """A job that has waited for 100 s gets the waits of past jobs that waited for longer."""
    workload = Workload(
        {
            "job_id": [1, 2, 3, 4],
            "submit_s": [0, 0, 0, 500],
            "nodes": [1, 1, 8, 1],
            "request_s": [60] * 4,
            "run_s": [60] * 4,
        }
    )
    simulation = Simulation(workload, 8, "easy").run(600)
    told = _fake(simulation.now_s)
    rows = PastWaits(workload).forecast(np.array([50, 300, 7, -1]), told)
    assert rows[0, 9] == 600 + 200, "of 50 s and 300 s only the latter is beyond 100 s"


def _fake(now_s: int) -> StartForecast:
    one = np.array([3])
    return StartForecast(now_s, one, one + 1, np.array([500]), one, np.zeros((1, 19)), 1)


def test_the_pinball_loss() -> None:
    """At the median the loss is half the error; a quantile that is met exactly costs nothing."""
    exact = np.full((1, len(FORECAST_LEVELS)), 10.0)
    assert pinball(exact, np.array([10.0])) == 0
    assert pinball(exact, np.array([30.0])) == pytest.approx(20 * FORECAST_LEVELS.mean())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((0, 30, 40, 50), "within a minute"),
        ((0, 900, 1800, 3600), "in 15 min to 60 min, most likely about 30 min"),
        ((0, 7200, 9000, 200_000), "in 2.0 h to 2.3 days, most likely about 2.5 h"),
    ],
)
def test_words_without_a_clock(given: tuple[int, int, int, int], expected: str) -> None:
    """Times count from now."""
    assert start_in_words(*given) == expected


def test_words_with_a_clock() -> None:
    """Times of day are rounded as the width of the interval allows."""
    clock = Clock.of({"UnixStartTime": ["1000000000"], "TimeZoneString": ["Europe/Berlin"]})
    assert clock is not None
    assert f"{clock.at(0):%a %H:%M}" == "Sun 03:46"
    told = start_in_words(0, 3700, 5000, 10_000, clock)
    assert told == "between 04:50 and 06:35, most likely about 05:10"
    assert moments_in_words(0, (80_000, 90_000, 100_000), clock)[1:] == ("Mon 04:50", "Mon 07:30")
    days = moments_in_words(0, (86_400.0, 6 * 86_400.0, 12 * 86_400.0), clock)
    assert days == ("10 September", "15 September", "21 September")


def test_what_cannot_be_forecast() -> None:
    """Each error is one sentence."""
    simulation = at_half(busy())
    told = simulation.forecast(forks=2)
    with pytest.raises(WorkloadError, match="job 1 does not wait"):
        told.of(1)
    assert told.of(int(told.job_id[0])).rows()[0]["job_id"] == told.job_id[0]
    with pytest.raises(ParameterError, match="above 0 and below 1"):
        told.quantiles([1.0])
    with pytest.raises(ParameterError, match='predictor "last-two" gives no distribution'):
        Forecaster(simulation, predict="last-two")
    with pytest.raises(ParameterError, match="forks"):
        simulation.forecast(forks=0)
