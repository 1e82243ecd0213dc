"""The conformance test for predictors: the rules every predictor must keep, in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NoReturn

import numpy as np

from schedlab import _core
from schedlab.errors import PolicyError
from schedlab.predict import (
    ChosenPredictor,
    Predictor,
    PredictorLike,
    SubmittedJob,
    find_predictor,
)
from schedlab.sim import Schedule, simulate
from schedlab.testing.check_policy import other_futures
from schedlab.testing.instances import small_workloads
from schedlab.workload import Workload

MakePredictor = Callable[[Workload], _core.Predictor | None]

_POLICY = "sjf+easy"  # predictions decide the order: a change of one shows in the whole schedule


def check_predictor(
    predictor: PredictorLike | MakePredictor,
    *,
    workloads: Sequence[Workload] | None = None,
    nodes: int | None = None,
) -> None:
    """Run a predictor on small workloads; raise PolicyError with a sentence if it breaks a rule.

    A predictor may bring its own knowledge, such as a model trained on other jobs; of the
    workload it may use only what has been submitted and what has ended.

    Args:
        predictor: whatever ``simulate`` takes, or a function that makes one for a workload.
        workloads: what to run it on; by default those of ``schedlab.testing.instances``.
        nodes: the size of the machine; by default as many as the widest job needs.
    """
    for workload in small_workloads() if workloads is None else workloads:
        size = int(workload["nodes"].max(initial=1)) if nodes is None else nodes
        witness = _Witness(predictor, workload)
        if witness.observed is not None:  # else policies plan with requests
            _check_on(witness, predictor, size)


def _check_on(witness: _Witness, predictor: PredictorLike | MakePredictor, nodes: int) -> None:
    schedule = witness.run(nodes)
    predicted_s = witness.predicted_s
    witness.check_learned(schedule)
    again = _watched(predictor, witness.workload, nodes)
    again.check_same(predicted_s, "two runs on the same workload must give the same predictions")
    witness.run(nodes)
    witness.check_same(predicted_s, "begin() must forget what an earlier simulation taught")
    for now in np.unique(schedule.eligible_s[list(predicted_s)]).tolist():
        known = {job: each for job, each in predicted_s.items() if schedule.eligible_s[job] <= now}
        for future in other_futures(schedule, now):
            _watched(predictor, future, nodes).check_same(
                known,
                f"what is predicted up to time {now} must not depend on run times that show only "
                "later",
            )


def _watched(predictor: PredictorLike | MakePredictor, workload: Workload, nodes: int) -> _Witness:
    """Return a witness that has recorded one simulation."""
    witness = _Witness(predictor, workload)
    witness.run(nodes)
    return witness


class _Witness(Predictor):
    """Passes all calls on to a predictor, and records them."""

    def __init__(self, predictor: PredictorLike | MakePredictor, workload: Workload) -> None:
        super().__init__()
        chosen = _chosen(predictor)
        self.name, self.workload = chosen.name, workload
        self.observed: Any = chosen.make(workload)

    def run(self, nodes: int) -> Schedule:
        """Simulate the workload."""
        return simulate(self.workload, nodes, _POLICY, predict=self)

    def begin(self) -> None:
        """Start the predictor and the record afresh."""
        self.predicted_s: dict[int, float] = {}
        self.learned: list[tuple[int, int]] = []
        self.observed.begin()

    def predict(self, job: SubmittedJob) -> float:
        """Return the predictor's answer, and record it."""
        answer = self.observed.predict(job)
        if not _is_duration(answer):
            self.fail(job.job, f"a prediction must be a finite number >= 0, not {answer}")
        self.predicted_s[job.job] = float(answer)
        return float(answer)

    def learn(self, job: SubmittedJob, run_s: int) -> None:
        """Pass the run time on to the predictor, and record it."""
        self.learned.append((job.job, run_s))
        self.observed.learn(job, run_s)

    def check_learned(self, schedule: Schedule) -> None:
        """Check that the predictor learnt of every end once, and of no other."""
        ended = [
            (job, int(schedule.ran_s[job])) for job in np.flatnonzero(schedule.started).tolist()
        ]
        for told, true in zip_longest(sorted(self.learned), ended):
            if told != true:
                self.fail((told or true)[0], "learn() must be called once when a job has ended")

    def check_same(self, expected_s: dict[int, float], rule: str) -> None:
        """Check that the predictions of these jobs are as expected."""
        for job, prediction_s in expected_s.items():
            if self.predicted_s.get(job) != prediction_s:
                self.fail(job, rule)

    def fail(self, job: int, rule: str) -> NoReturn:
        """Raise a PolicyError: which rule was broken, by which predictor, and where."""
        raise PolicyError(
            f"{rule}; predictor {self.name} broke this "
            f'on workload "{self.workload.name}" with job {self.workload["job_id"][job]}'
        )


def _chosen(predictor: PredictorLike | MakePredictor) -> ChosenPredictor:
    if isinstance(predictor, str | type | _core.Predictor | ChosenPredictor):
        return find_predictor(predictor)
    return ChosenPredictor(predictor.__name__, predictor)


def _is_duration(answer: object) -> bool:
    number = isinstance(answer, int | float | np.integer | np.floating)
    return number and math.isfinite(answer) and answer >= 0  # type: ignore[arg-type, operator]
