"""The contract of a predictor that gives the whole distribution of a run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from schedlab.errors import PolicyError
from schedlab.predict.calibration import Calibration
from schedlab.predict.predictor import Predictor
from schedlab.predict.run_times import LEVELS, Numbers, RunTimes


class KnownJob(Protocol):
    """What is known of a job before it ends; ``SubmittedJob`` has these attributes."""

    @property
    def job(self) -> int: ...  # noqa: D102
    @property
    def nodes(self) -> int: ...  # noqa: D102
    @property
    def request_s(self) -> int: ...  # noqa: D102
    @property
    def submit_s(self) -> int: ...  # noqa: D102
    @property
    def user(self) -> int: ...  # noqa: D102


class QuantilePredictor(Predictor):
    """Predicts the distribution of run times; plans use its median.

    A subclass defines ``estimate`` and ``note``, and ``forget`` if it keeps anything.

    Args:
        calibrate: whether levels are corrected by how often earlier quantiles were right.
    """

    def __init__(self, *, calibrate: bool = True) -> None:
        super().__init__()
        self._calibrates = calibrate
        self.begin()

    def estimate(self, job: KnownJob) -> Numbers:
        """Return log(1 + run time) at each of ``LEVELS`` but the first and the last."""
        raise PolicyError(f"{type(self).__name__} must define estimate(self, job)")

    def note(self, job: KnownJob, run_s: int) -> None:
        """Learn from a job that has ended."""
        raise PolicyError(f"{type(self).__name__} must define note(self, job, run_s)")

    def note_all(self, jobs: Sequence[KnownJob], runs_s: Sequence[int]) -> None:
        """Learn from jobs that have ended, without checking how well they were predicted."""
        for job, run_s in zip(jobs, runs_s, strict=True):
            self.note(job, run_s)
        self._same.clear()

    def forget(self) -> None:
        """Forget all jobs."""

    def run_times(self, jobs: Sequence[KnownJob]) -> RunTimes:
        """Return the distributions of the run times of these jobs, as of now."""
        return self._calibrated(self._estimated(jobs))

    def quantiles(
        self, jobs: Sequence[KnownJob], levels: ArrayLike, elapsed_s: ArrayLike = 0.0
    ) -> Numbers:
        """Return quantiles of the run times of these jobs; see ``RunTimes.quantiles``."""
        return self.run_times(jobs).quantiles(levels, elapsed_s)

    def begin(self) -> None:
        """Forget what was learnt in an earlier simulation."""
        self._asked: dict[int, RunTimes] = {}  # of the jobs that have not ended
        self._calibration = Calibration()
        self._same: dict[tuple[int, int, int], Numbers] = {}  # bursts of jobs are all alike
        self.forget()

    def predict(self, job: KnownJob) -> float:
        """Return the median."""
        self._asked[job.job] = self._estimated([job])
        return float(self._calibrated(self._asked[job.job]).quantiles([0.5])[0, 0])

    def learn(self, job: KnownJob, run_s: int) -> None:
        """Compare the run time with the prediction when the job became eligible; then note it."""
        asked = self._asked.pop(job.job, None)
        self._calibration.learn(self._estimated([job]) if asked is None else asked, run_s)
        self.note(job, run_s)
        self._same.clear()

    def _calibrated(self, estimated: RunTimes) -> RunTimes:
        if not self._calibrates:
            return estimated
        return estimated.releveled(self._calibration.levels())

    def _estimated(self, jobs: Sequence[KnownJob]) -> RunTimes:
        rows = np.empty((len(jobs), len(LEVELS)))
        for row, job in zip(rows, jobs, strict=True):
            row[:] = self._row(job)
        return RunTimes(rows)

    def _row(self, job: KnownJob) -> Numbers:
        kind = (job.user, job.nodes, job.request_s)
        if kind not in self._same:
            request = np.log1p(job.request_s)
            inner = np.minimum(np.maximum.accumulate(self.estimate(job)), request)
            self._same[kind] = np.array([0.0, *inner, request])
        return self._same[kind]
