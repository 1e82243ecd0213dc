"""A predictor whose predictions are kept, to be judged when the jobs have ended."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from schedlab import _core
from schedlab.predict.predictor import Predictor, SubmittedJob
from schedlab.predict.quantile_predictor import QuantilePredictor
from schedlab.predict.run_times import Numbers, RunTimes


class Recorded(Predictor):
    """A wrapper of a predictor that keeps the prediction for each job."""

    def __init__(self, predictor: _core.Predictor) -> None:
        super().__init__()
        self.predictor: Any = predictor

    def begin(self) -> None:
        """Begin the predictor, and forget the predictions of an earlier simulation."""
        self._rows: dict[int, Numbers] = {}
        self.predictor.begin()

    def predict(self, job: SubmittedJob) -> float:
        """Ask the predictor, and keep the distribution."""
        predicted_s = float(self.predictor.predict(job))
        if isinstance(self.predictor, QuantilePredictor):
            said = self.predictor.run_times([job])
        else:
            said = RunTimes.exactly(min(max(predicted_s, 1.0), job.request_s))
        self._rows[job.job] = said.log_s[0]
        return predicted_s

    def learn(self, job: SubmittedJob, run_s: int) -> None:
        """Let the predictor learn from the job."""
        self.predictor.learn(job, run_s)

    def run_times(self, request_s: ArrayLike) -> RunTimes:
        """Return the prediction for each job of the workload; the request for jobs without one."""
        found = RunTimes.exactly(request_s)
        for job, row in self._rows.items():
            found.log_s[job] = row
        return found
