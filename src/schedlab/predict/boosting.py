"""Gradient boosting of regression trees, retrained now and then on the ended jobs."""

from __future__ import annotations

from collections import deque
from functools import partial
from importlib.util import find_spec
from typing import Any

from schedlab import _core
from schedlab.errors import MissingExtraError, ParameterError
from schedlab.predict.predictor import Predictor, SubmittedJob

Features = tuple[float, ...]

_HOUR_S, _DAY_S, _WEEK_S = 3600, 86400, 7 * 86400


class Boosting(Predictor):
    """Gradient-boosted trees of least absolute error; as ``last-two`` before the first training.

    The features of a job are what is known at its submission: request, nodes, hour and weekday
    (counted from time 0), and what ``last-two``, ``class-mean`` and ``nearest`` predict.

    Args:
        retrain_every: number of ended jobs between two trainings, and before the first.
        window: size of the training set, the jobs that ended last.
    """

    def __init__(self, *, retrain_every: int = 500, window: int = 5000) -> None:
        super().__init__()
        for name, value in (("retrain_every", retrain_every), ("window", window)):
            if value < 1:
                raise ParameterError(f"boosting: {name} is {value}; must be >= 1")
        if find_spec("sklearn") is None:
            raise MissingExtraError("scikit-learn", "predict")
        self.retrain_every, self.window = retrain_every, window

    def begin(self) -> None:
        """Forget the model and the jobs."""
        self._last_two = _core.LastTwo()
        self._learners = (self._last_two, _core.ClassMean(), _core.Nearest())
        self._features: dict[int, Features] = {}  # of the jobs that have not ended
        self._ended: deque[tuple[Features, int]] = deque(maxlen=self.window)
        self._since_training = 0
        self._model: Any = None
        self._said: dict[Features, float] = {}  # by the last model: bursts of jobs are all alike

    def predict(self, job: SubmittedJob) -> float:
        """Return the prediction of the last model."""
        features = self._features[job.job] = self._features_of(job)
        if self._model is None:
            return self._last_two.predict(job)
        if features not in self._said:
            self._said[features] = self._ask_model(features)
        return self._said[features]

    def learn(self, job: SubmittedJob, run_s: int) -> None:
        """Add the job to the window, and train if it is time."""
        for learner in self._learners:
            learner.learn(job, run_s)
        self._ended.append((self._features.pop(job.job), run_s))
        self._since_training += 1
        if self._since_training == self.retrain_every:
            self._train()

    def _features_of(self, job: SubmittedJob) -> Features:
        return (
            job.request_s,
            job.nodes,
            job.submit_s % _DAY_S // _HOUR_S,
            job.submit_s % _WEEK_S // _DAY_S,
            *(learner.predict(job) for learner in self._learners),
        )

    def _ask_model(self, features: Features) -> float:
        with self._one_thread():
            return max(0.0, float(self._model.predict([features])[0]))

    def _train(self) -> None:
        from sklearn.ensemble import HistGradientBoostingRegressor
        from threadpoolctl import ThreadpoolController

        # Waking other threads would cost more than such small tasks.
        self._one_thread = partial(ThreadpoolController().limit, limits=1, user_api="openmp")
        features, runs_s = zip(*self._ended, strict=True)
        self._model = HistGradientBoostingRegressor(
            loss="absolute_error", max_iter=50, early_stopping=False, random_state=0
        )
        with self._one_thread():
            self._model.fit(features, runs_s)
        self._since_training = 0
        self._said.clear()
