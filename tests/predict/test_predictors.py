"""Predictors by hand: what each predicts for a job, and what it learns from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from schedlab import Schedule, Workload, simulate
from schedlab.errors import ParameterError, PolicyError, UnknownNameError
from schedlab.predict import PREDICTORS, Predictor, SubmittedJob, find_predictor
from schedlab.testing.instances import jobs
from schedlab.testing.strategies import workloads

# submit, nodes, request, run: one after another on one node
SERIES = ((0, 1, 100, 40), (200, 1, 100, 60), (400, 1, 90, 10), (600, 1, 100, 20))


def estimates(
    rows: Sequence[tuple[int, int, int, int]], predictor: str, user: list[int] | None = None
) -> list[int]:
    """Return the predicted run time of each job."""
    users = [0] * len(rows) if user is None else user
    schedule = simulate(jobs(*rows, user=users), 2, "easy", predict=predictor)
    assert schedule.estimate_s is not None
    return [int(each) for each in schedule.estimate_s]


def test_last_two_is_the_mean_of_the_last_two() -> None:
    """The request before the first job has ended, then its run time, then means of two."""
    assert estimates(SERIES, "last-two") == [100, 40, 50, 35]


def test_everybody_has_a_history_of_their_own() -> None:
    """Another user's jobs teach nothing about this one's."""
    assert estimates(SERIES, "last-two", user=[1, 2, 1, 2]) == [100, 100, 40, 60]


def test_class_mean_takes_the_narrowest_class() -> None:
    """The third job's request is new, so it gets the user's mean; the fourth has two like it."""
    assert estimates(SERIES, "class-mean") == [100, 40, 50, 50]


def test_class_mean_tells_nodes_apart() -> None:
    """Jobs of two nodes run longer than those of one; each job gets the mean of its kind."""
    rows = ((0, 1, 99, 10), (100, 2, 99, 30), (200, 1, 99, 14), (300, 1, 99, 9), (400, 2, 99, 9))
    assert estimates(rows, "class-mean") == [99, 10, 10, 12, 30]


def test_nearest_takes_the_three_most_alike() -> None:
    """By ratios: 100 s is nearer to 120 s and 150 s than to 20 s; nodes count like requests."""
    ended = ((0, 1, 100, 90), (200, 1, 120, 60), (400, 1, 20, 10), (600, 2, 100, 9))
    rows = (*ended, (800, 1, 150, 30), (1000, 1, 100, 50), (1200, 2, 100, 50))
    found = estimates(rows, "nearest")
    assert found[:3] == [100, 90, 20]
    assert found[-2:] == [(90 + 60 + 30) / 3, math.ceil((9 + 50 + 90) / 3)]


def test_nearest_prefers_the_latest_of_equally_near_ones() -> None:
    """All jobs are alike, so the last three count."""
    rows = [(100 * place, 1, 99, run_s) for place, run_s in enumerate((90, 3, 6, 9, 1))]
    assert estimates(rows, "nearest") == [99, 90, math.ceil(93 / 2), 33, 6]


def test_nearest_forgets_all_but_the_last_hundred() -> None:
    """An equal job that ended 101 jobs ago is forgotten; one from 100 jobs ago still counts."""
    rows = [(0, 1, 90, 42), *((100 * place, 1, 10, 1) for place in range(1, 101))]
    asked = (20_000, 1, 90, 1)
    assert estimates([*rows, asked], "nearest")[-1] == 1
    assert estimates([*rows[:-1], asked], "nearest")[-1] == math.ceil((42 + 1 + 1) / 3)


def test_actual_knows_the_truth() -> None:
    """It predicts the run time, but never more than the request, at which a job would be killed."""
    assert estimates(((0, 1, 10, 4), (0, 1, 10, 10), (0, 1, 10, 99)), "actual") == [4, 10, 10]


def test_regression_begins_with_the_request_and_learns_a_constant_share() -> None:
    """A user who always uses a tenth of the request is soon expected to do so."""
    rows = [
        (i * 5000, 1, request, request // 10) for i, request in enumerate([1000, 2000, 500] * 20)
    ]
    found = estimates(rows, "regression")
    assert found[0] == 1000
    assert found[-3:] == pytest.approx([100, 200, 50], rel=0.05)


def test_no_prediction_leaves_its_bounds() -> None:
    """A prediction is at least 1 s and at most the request, whatever the history says."""
    rows = ((0, 1, 1000, 1000), (2000, 1, 10, 0), (3000, 1, 5, 5))
    assert estimates(rows, "last-two") == [1000, 10, 5]


@settings(max_examples=100, deadline=None)
@given(workload=workloads(max_nodes=8, max_jobs=20))
def test_without_accuracy_to_gain_prediction_changes_nothing(workload: Workload) -> None:
    """Where every request is the run time, the oracle plans like the requests."""
    exact = workload.replace(request_s=np.maximum(workload["run_s"], 1))
    plain, oracle = (simulate(exact, 8, "easy", predict=name) for name in ("request", "actual"))
    assert np.array_equal(plain.start_s, oracle.start_s)


def planned(predictor: str) -> Schedule:
    """Return the schedule of a job that outlives its prediction of 100 s and two that wait for it.

    ::

        node 0  aaaa ... AAAAAAAAAAAAAAAAAAAA   A runs 400 s, its user's last job ran 100 s
        node 1  ........ hole BBBB              B needs both nodes: planned for A's end
    """
    rows = ((0, 1, 100, 100), (200, 1, 1000, 400), (210, 2, 50, 50), (220, 1, 150, 150))
    return simulate(jobs(*rows, user=[1, 1, 2, 3]), 2, "easy", predict=predictor)


def test_a_prediction_that_is_outlived_is_corrected() -> None:
    """At 300 A outlives its 100 s: one minute more is expected, then five.

    B was promised 300. C, of 150 s, would delay B until the second correction at 360 moves B's
    start to 660: then C fits in the hole.
    """
    schedule = planned("last-two")
    assert schedule.first_reserved_s.tolist() == [-1, -1, 300, -1]
    assert schedule.start_s.tolist() == [0, 200, 600, 360]


def test_requests_would_have_let_the_hole_be_used_at_once() -> None:
    """By A's request B waits until 1200, so C starts when it comes."""
    assert planned("request").start_s.tolist() == [0, 200, 600, 220]


class Half(Predictor):
    """A predictor of half the request, which records what it learns."""

    def __init__(self) -> None:  # it need not call that of the base class
        self.learned: list[tuple[int, int]] = []

    def begin(self) -> None:
        """Forget all records."""
        self.learned.clear()

    def predict(self, job: SubmittedJob) -> float:
        """Return half of the request."""
        return job.request_s / 2

    def learn(self, job: SubmittedJob, run_s: int) -> None:
        """Record the job and its run time."""
        self.learned.append((job.job, run_s))


def test_a_predictor_of_ones_own() -> None:
    """It predicts once per job and learns each end, even of kills; a second run starts afresh."""
    half = Half()
    for _ in range(2):
        schedule = simulate(jobs((0, 1, 9, 3), (5, 1, 10, 99)), 2, "easy", predict=half)
        assert schedule.estimate_s is not None
        assert schedule.estimate_s.tolist() == [5, 5]
        assert half.learned == [(0, 3), (1, 10)]
    assert schedule.policy == "easy:predict=Half"
    assert schedule.provenance["predict"] == "Half"


class Constant(Half):
    """A predictor that returns the answer it was given."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def predict(self, job: SubmittedJob) -> float:
        """Return the given answer."""
        predicted: float = self.answer
        return predicted


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (math.nan, "gave NaN; must be a number"),
        (None, "predict returned None; must return a number of seconds"),
        ("5", "predict returned '5'; must"),
        ([5.0], r"predict returned \[5.0\]; must"),
    ],
)
def test_a_prediction_must_be_a_number(answer: Any, sentence: str) -> None:
    """NaN compares with nothing; planning by it would be silently wrong."""
    with pytest.raises(PolicyError, match=sentence):
        simulate(jobs((0, 1, 9, 3)), 1, "easy", predict=Constant(answer))


def test_the_name_of_a_policy_may_name_its_predictor() -> None:
    """Several predictors can be compared in one command; parameters come first."""
    named = simulate(jobs(*SERIES), 2, "easy:predict=last-two,depth=5")
    assert named.policy == "easy:depth=5,predict=last-two"
    assert simulate(jobs(*SERIES), 2, "easy:predict=request").policy == "easy"
    assert (
        simulate(jobs(*SERIES), 2, "easy:predict=actual", predict="last-two").estimate_s is not None
    )


def test_an_unknown_predictor_meets_the_list_of_known_ones() -> None:
    """The error names the known predictors."""
    with pytest.raises(UnknownNameError, match="last-two"):
        find_predictor("crystal-ball")
    with pytest.raises(ParameterError, match="must be a Predictor"):
        find_predictor("math:inf")


@pytest.mark.parametrize("name", PREDICTORS)
def test_every_predictor_forgets_between_simulations(name: str) -> None:
    """The same workload gives the same schedule again."""
    workload = jobs(*SERIES * 3)
    once, again = (simulate(workload, 1, "sjf+easy", predict=name) for _ in range(2))
    assert once == again
