"""Distributions of run times by hand: quantiles, elapsed time, similar jobs, calibration."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings

from schedlab import Schedule, Workload, simulate
from schedlab.analysis import quantile_scores
from schedlab.errors import MissingExtraError, ParameterError, PolicyError
from schedlab.predict import (
    LEVELS,
    PREDICTORS,
    QuantilePredictor,
    Recorded,
    RunTimes,
    find_predictor,
)
from schedlab.predict.boosted_quantiles import BoostedQuantiles
from schedlab.predict.calibration import Calibration
from schedlab.predict.past import ClassQuantiles, NearestQuantiles, Past, SimilarJobs
from schedlab.testing import check_predictor
from schedlab.testing.check_policy import other_futures
from schedlab.testing.instances import crowd, jobs
from schedlab.testing.strategies import workloads

NAMES = [name for name in PREDICTORS if name == "past" or name.endswith("-quantiles")]
LEARNERS = [ClassQuantiles, NearestQuantiles]


@dataclass(frozen=True)
class Job:
    """A job with the columns that a forecast uses."""

    job: int = 0
    nodes: int = 1
    request_s: int = 1000
    submit_s: int = 0
    user: int = 0


def even(longest_s: float) -> RunTimes:
    """Return one job whose log(1 + run time) is uniform, up to that of the longest."""
    return RunTimes(np.log1p(longest_s) * LEVELS[None, :])


def taught(predictor: QuantilePredictor, runs_s: list[int], job: Job) -> QuantilePredictor:
    """Return the predictor after jobs like this one have ended with these run times."""
    for run_s in runs_s:
        predictor.learn(job, run_s)
    return predictor


def foretold(
    workload: Workload, predictor: QuantilePredictor, nodes: int = 32
) -> tuple[Schedule, RunTimes]:
    """Return the schedule, and the run times predicted when each job became eligible."""
    recorded = Recorded(predictor)
    schedule = simulate(workload, nodes, "easy", predict=recorded)
    return schedule, recorded.run_times(workload["request_s"])


def test_quantiles_lie_evenly_between_the_levels() -> None:
    """Half of the logarithm at level 0.5: log(1 + 3) is half of log(1 + 15)."""
    assert even(15).quantiles([0, 0.5, 1])[0] == pytest.approx([0, 3, 15])


def test_a_job_that_has_run_is_conditioned_on_it() -> None:
    """After 3 s the lower half is gone: the middle of the rest is at level 0.75 of the whole."""
    assert even(15).quantiles([0, 0.5, 1], 3)[0] == pytest.approx([3, 7, 15])


def test_a_job_that_outlived_all_that_was_said_ends_now() -> None:
    """Nothing is known beyond that; a run time is never below the elapsed time."""
    assert RunTimes.exactly([10]).quantiles([0.1, 0.9], 20).tolist() == [[20, 20]]


def test_every_job_may_have_levels_and_elapsed_times_of_its_own() -> None:
    """That is how run times of many jobs are drawn in one call."""
    two = RunTimes(np.concatenate([even(15).log_s, even(255).log_s]))
    found = two.quantiles([[0.5, 1], [0.5, 0.75]], [3, 0])
    assert found == pytest.approx(np.array([[7, 15], [15, 63]]))


def test_draws_have_the_conditional_distribution() -> None:
    """Uniform levels: the drawn share below a quantile is its level."""
    uniform = np.random.default_rng(1).random((1, 20_000))
    drawn = even(15).quantiles(uniform, 3)
    assert drawn.min() >= 3
    assert drawn.max() <= 15
    assert np.mean(drawn <= 7) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("level", [-0.1, 1.5, float("nan")])
def test_levels_are_probabilities(level: float) -> None:
    """Anything else is refused in a sentence."""
    with pytest.raises(ParameterError, match="a level must be a number from 0 to 1"):
        even(15).quantiles([level])


@pytest.mark.parametrize("elapsed_s", [-1, float("nan")])
def test_no_job_has_run_a_negative_time(elapsed_s: float) -> None:
    """An elapsed time that is not a number is refused, too."""
    with pytest.raises(ParameterError, match="must be a number of seconds >= 0"):
        even(15).quantiles([0.5], elapsed_s)


def test_scores_want_levels_inside() -> None:
    """The quantiles at levels 0 and 1 cannot be wrong by a meaningful amount."""
    schedule = simulate(jobs((0, 1, 10, 5)), 1, "easy")
    with pytest.raises(ParameterError, match="level 1; must be above 0 and below 1"):
        quantile_scores(schedule, RunTimes.exactly([10]), levels=[1])


@pytest.mark.parametrize("kind", [Past, *LEARNERS])
def test_nobody_knows_anything_but_the_request_at_first(kind: type[QuantilePredictor]) -> None:
    """Before any job has ended they predict the request, as all other predictors do."""
    assert kind().predict(Job(request_s=500)) == pytest.approx(500)


def test_past_takes_everybody_s_jobs_alike() -> None:
    """The median of 10, 20 and 90 s is 20 s, whichever user asks."""
    past = taught(Past(), [10, 90, 20], Job())
    assert past.predict(Job(user=7, nodes=64)) == pytest.approx(20)


@pytest.mark.parametrize("kind", LEARNERS)
def test_similar_jobs_count_more(kind: type[SimilarJobs]) -> None:
    """Narrow jobs ran 10 s and wide ones 600 s: both medians stay apart."""
    predictor = kind(calibrate=False)
    for _ in range(10):
        predictor.learn(Job(nodes=1), 10)
        predictor.learn(Job(nodes=64), 600)
    narrow, wide = predictor.quantiles([Job(nodes=1), Job(nodes=64)], [0.5])[:, 0]
    assert narrow == pytest.approx(10, rel=0.01)
    assert wide == pytest.approx(600, rel=0.01)


def test_recent_jobs_count_more() -> None:
    """Ten later jobs halve a job's weight: after thirty of 10 s, those of 600 s are the tail."""
    predictor = taught(NearestQuantiles(calibrate=False), [600] * 30 + [10] * 30, Job())
    low, high = predictor.quantiles([Job()], [0.5, 0.99])[0]
    assert low == pytest.approx(10, rel=0.01)
    assert high == pytest.approx(600, rel=0.01)


def test_a_new_user_is_like_everybody() -> None:
    """This holds until jobs of the user have ended."""
    predictor = taught(NearestQuantiles(calibrate=False), [10, 20, 30] * 20, Job(user=1))
    assert predictor.predict(Job(user=2)) == pytest.approx(20, rel=0.1)


@pytest.mark.parametrize("kind", [Past, *LEARNERS])
def test_no_quantile_is_beyond_the_request(kind: type[QuantilePredictor]) -> None:
    """A job is killed at its request, whatever jobs before it did."""
    predictor = taught(kind(), [5000] * 300, Job(request_s=6000))
    found = predictor.quantiles([Job(request_s=100)], [0.01, 0.5, 0.99, 1])
    assert found.max() == 100


def test_calibration_widens_what_was_too_narrow() -> None:
    """With predictions of half the spread, level 0.9 becomes the level that held 0.9 of the time.

    The job's log run time is uniform on [0, 1], but was predicted as uniform on [0.25, 0.75]. Half
    of the jobs end outside, a quarter on either side, so 0.9 is beyond all that was predicted.
    """
    calibration, draw = Calibration(doubt=1), np.random.default_rng(2)
    said = RunTimes((0.25 + 0.5 * LEVELS[None, :]) * np.log1p(1e6))
    for run_s in np.expm1(draw.random(4000) * np.log1p(1e6)):
        calibration.learn(said, run_s)
    levels = calibration.levels()
    assert levels[LEVELS == 0.5] == pytest.approx(0.5, abs=0.03)
    assert levels[LEVELS == 0.6] == pytest.approx(0.7, abs=0.03)
    assert levels[LEVELS == 0.9] == pytest.approx(1.0, abs=0.001)


def stream(count: int, seed: int = 5) -> Workload:
    """Return jobs, one after another, of three users with log-normal run times of their own."""
    draw = np.random.default_rng(seed)
    user = draw.integers(0, 3, count)
    median_s, sigma = np.array([60, 600, 3600])[user], np.array([0.3, 1.0, 0.6])[user]
    return Workload(
        {
            "job_id": np.arange(1, count + 1),
            "submit_s": 90_000 * np.arange(count),
            "nodes": np.ones(count, dtype=np.int64),
            "request_s": np.full(count, 86_400),
            "run_s": np.rint(median_s * np.exp(sigma * draw.standard_normal(count))).astype(int),
            "user": user,
        },
        name="log-normal",
    )


@pytest.mark.parametrize("elapsed_s", [0, 300])
@pytest.mark.parametrize("kind", [Past, *LEARNERS])
def test_intervals_hold_what_they_promise(kind: type[QuantilePredictor], elapsed_s: int) -> None:
    """They do on a stream of known distribution, from the start and after five minutes."""
    schedule, told = foretold(stream(2000), kind())
    (row,) = quantile_scores(schedule, told, elapsed_s=elapsed_s).to_dicts()
    assert row["within_80"] == pytest.approx(0.8, abs=0.04)
    assert row["within_50"] == pytest.approx(0.5, abs=0.05)


def test_knowing_the_user_loses_less_than_all_of_the_past() -> None:
    """A predictor that knows the user has less than 0.7 times the loss of the past of all users."""
    past, nearest = (
        quantile_scores(*foretold(stream(1500), kind()))["pinball_loss_s"][0]
        for kind in (Past, NearestQuantiles)
    )
    assert nearest < 0.7 * past


@pytest.mark.parametrize("name", [name for name in NAMES if name != "boosting-quantiles"])
def test_no_look_into_the_future(name: str) -> None:
    """What is predicted stays when the run times of jobs that end later are changed."""
    check_predictor(name)


def test_quantiles_stay_when_later_run_times_change() -> None:
    """All quantiles stay, not only the median that the plan uses."""
    workload = crowd(count=30)
    schedule, told = foretold(workload, NearestQuantiles())
    now = int(np.median(schedule.eligible_s))
    asked = schedule.eligible_s <= now
    futures = list(other_futures(schedule, now))
    assert futures
    for future in futures:
        _, other = foretold(future, NearestQuantiles())
        assert np.array_equal(told.log_s[asked], other.log_s[asked])


@settings(max_examples=30, deadline=None)
@given(workload=workloads(max_nodes=8, max_jobs=20))
def test_quantiles_never_fall_and_never_pass_the_request(workload: Workload) -> None:
    """This holds whatever the jobs are, and however long they have run."""
    _, told = foretold(workload, NearestQuantiles(), nodes=8)
    request_s = workload["request_s"]
    for elapsed_s in (np.zeros(len(workload)), request_s / 2):
        found = told.quantiles(LEVELS, elapsed_s)
        assert (np.diff(found, axis=1) >= 0).all()
        assert (found <= request_s[:, None]).all()
        assert (found >= elapsed_s[:, None]).all()


def test_a_clone_goes_its_own_way() -> None:
    """The jobs of a fork teach only the fork."""
    predictor = taught(NearestQuantiles(), [10] * 5, Job())
    before = predictor.quantiles([Job()], [0.5])
    taught(predictor.clone(), [900] * 50, Job())
    assert np.array_equal(predictor.quantiles([Job()], [0.5]), before)


def test_a_predictor_without_estimate_is_told_so() -> None:
    """The author of a predictor gets one sentence."""
    with pytest.raises(PolicyError, match=r"QuantilePredictor must define estimate\(self, job\)"):
        QuantilePredictor().predict(Job())


def test_boosting_tells_kinds_apart_that_the_user_mixes() -> None:
    """Before the first training it predicts as the nearest jobs do; then trees split by nodes."""
    pytest.importorskip("sklearn")
    draw = np.random.default_rng(3)
    boosted, nearest = BoostedQuantiles(retrain_every=200), NearestQuantiles()
    for place in range(200):
        job = Job(job=place, nodes=int(draw.integers(10, 12)))
        assert boosted.predict(job) == nearest.predict(job)
        run_s = int((900 if job.nodes == 11 else 100) * np.exp(0.1 * draw.standard_normal()))
        boosted.learn(job, run_s)
        nearest.learn(job, run_s)
    asked = [Job(nodes=10), Job(nodes=11)]
    few, many = boosted.quantiles(asked, [0.5])[:, 0]
    assert (few, many) == (pytest.approx(100, rel=0.2), pytest.approx(900, rel=0.2))


def test_boosting_sees_no_future() -> None:
    """This holds also when it trains within a small workload."""
    pytest.importorskip("sklearn")
    check_predictor(BoostedQuantiles(retrain_every=4, window=8), workloads=[crowd(count=10)])


def test_nothing_can_be_boosted_from_no_jobs() -> None:
    """Both parameters are numbers of jobs, so neither may be 0."""
    with pytest.raises(ParameterError, match="retrain_every is 0; must be >= 1"):
        BoostedQuantiles(retrain_every=0)
    with pytest.raises(ParameterError, match="window is 0; must be >= 1"):
        BoostedQuantiles(window=0)


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is one sentence, with the command that installs the extra."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r'pip install "\.\[predict\]"'):
        find_predictor("boosting-quantiles").make(stream(3))


def test_importing_them_does_not_import_scikit_learn() -> None:
    """Drawing run times needs only numbers."""
    program = "import sys, schedlab.predict.boosted_quantiles; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
