"""The conformance test passes honest predictors and names the rule that others break."""

from __future__ import annotations

import importlib
import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from schedlab import Schedule, Workload, simulate
from schedlab.errors import PolicyError
from schedlab.predict import PREDICTORS, Predictor, SubmittedJob
from schedlab.testing import check_predictor
from schedlab.testing.instances import crowd, early_end

MODULE = importlib.import_module("schedlab.testing.check_predictor")  # the function has its name


class Last(Predictor):
    """Predicts the last run time of any user."""

    def begin(self) -> None:
        """Forget the last run time."""
        self.last_s: float = math.inf

    def predict(self, job: SubmittedJob) -> float:
        """Return the last run time, at most the request."""
        return min(self.last_s, job.request_s)

    def learn(self, job: SubmittedJob, run_s: int) -> None:
        """Remember the run time."""
        self.last_s = run_s


class Unforgetting(Last):
    """Takes the last run time of one simulation into the next."""

    def __init__(self) -> None:
        super().__init__()
        Last.begin(self)

    def begin(self) -> None:
        """Keep the last run time."""


class Moody(Last):
    """Doubles every seventh prediction."""

    moods = itertools.cycle([1, 1, 1, 1, 1, 1, 2])

    def predict(self, job: SubmittedJob) -> float:
        """Return the request, or twice that."""
        return job.request_s * next(self.moods)


class Clairvoyant(Last):
    """Knows the run times of all jobs that were submitted so far."""

    def __init__(self, workload: Workload) -> None:
        super().__init__()
        self.workload = workload

    def predict(self, job: SubmittedJob) -> float:
        """Return the mean of the true run times up to the job before it."""
        return float(np.mean(self.workload["run_s"][: max(1, job.job)]))


class Answering(Last):
    """Always gives the same answer."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def predict(self, job: SubmittedJob) -> float:
        """Return the answer, whatever it is."""
        return self.answer  # type: ignore[no-any-return]


HONEST = [name for name, entry in PREDICTORS.items() if entry.reference != "oracle"]


@pytest.mark.parametrize("predictor", [*HONEST, Last])
def test_honest_predictors_pass(predictor: Any) -> None:
    """Every predictor of the table but the oracles keeps every rule, and so can your own."""
    if predictor == "boosting":
        pytest.importorskip("sklearn")
    check_predictor(predictor)


def test_an_object_is_checked_like_its_class() -> None:
    """The same object serves every run; ``begin`` resets it."""
    check_predictor(Last(), workloads=[crowd()])


def test_the_oracle_is_refused() -> None:
    """The oracle uses what no real predictor can know."""
    rule = "must not depend on run times that show only later; predictor actual broke this"
    with pytest.raises(PolicyError, match=rule):
        check_predictor("actual")


def test_a_predictor_must_not_see_running_or_waiting_jobs() -> None:
    """A mean over jobs that were submitted, ended or not, is a glimpse of the future."""

    def knowing(workload: Workload) -> Predictor:
        return Clairvoyant(workload)

    rule = "must not depend on run times that show only later; predictor knowing broke this"
    with pytest.raises(PolicyError, match=rule):
        check_predictor(knowing, workloads=[crowd()])


def test_a_predictor_must_forget() -> None:
    """Otherwise results would depend on what was simulated before."""
    with pytest.raises(PolicyError, match=r"begin\(\) must forget what an earlier simulation"):
        check_predictor(Unforgetting, workloads=[crowd()])


def test_a_predictor_must_be_deterministic() -> None:
    """Results that cannot be repeated are no results."""
    with pytest.raises(PolicyError, match="two runs on the same workload must give the same"):
        check_predictor(Moody, workloads=[crowd()])


@pytest.mark.parametrize("answer", [math.nan, math.inf, -1.0, None, "long"])
def test_a_prediction_is_a_duration(answer: Any) -> None:
    """The simulator cuts times that are too short or too long; what is no time is a fault."""
    rule = f'a prediction must be a finite number >= 0, not {answer}; .* "early end" with job 1'
    with pytest.raises(PolicyError, match=rule):
        check_predictor(Answering(answer), workloads=[early_end()])


def test_every_end_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the simulator itself broke the rule, the sentence would say so."""

    def faulty(workload: Workload, nodes: int, policy: str, predict: Any) -> Schedule:
        schedule = simulate(workload, nodes, policy, predict=predict)
        return replace(schedule, end_s=schedule.end_s + 1)

    monkeypatch.setattr(MODULE, "simulate", faulty)
    with pytest.raises(PolicyError, match=r"learn\(\) must be called once when a job has ended"):
        check_predictor("last-two", workloads=[early_end()])
