"""Gradient boosting with quantile loss, trained now and then on the jobs that have ended."""

from __future__ import annotations

import math
from collections import deque
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from schedlab.errors import MissingExtraError, ParameterError
from schedlab.predict.past import NearestQuantiles
from schedlab.predict.quantile_predictor import KnownJob
from schedlab.predict.run_times import LEVELS, Numbers

_BOOSTED = (0.1, 0.5, 0.9)
_INNER = LEVELS[1:-1]
_COLUMNS = np.searchsorted(_INNER, _BOOSTED)


class BoostedQuantiles(NearestQuantiles):
    """Gradient-boosted trees that move the quantiles 0.1, 0.5 and 0.9 of the nearest jobs.

    The features of a job are request, nodes, and these quantiles, as of its submission; the trees
    learn by how much each quantile is wrong, in logarithms. Between these quantiles the
    distribution has the shape that the nearest jobs give it. Before the first training, it is the
    distribution of the nearest jobs.

    Args:
        retrain_every: number of ended jobs between two trainings, and before the first.
        window: size of the training set, the jobs that ended last.
        calibrate: whether levels are corrected by how often earlier quantiles were right.
    """

    def __init__(
        self, *, retrain_every: int = 1000, window: int = 5000, calibrate: bool = True
    ) -> None:
        for name, value in (("retrain_every", retrain_every), ("window", window)):
            if value < 1:
                raise ParameterError(f"boosting-quantiles: {name} is {value}; must be >= 1")
        if find_spec("sklearn") is None:
            raise MissingExtraError("scikit-learn", "predict")
        self.retrain_every, self.window = retrain_every, window
        super().__init__(calibrate=calibrate)

    def forget(self) -> None:
        """Forget the models and the jobs."""
        super().forget()
        self._features: dict[int, tuple[float, ...]] = {}  # of the jobs that have not ended
        self._ended: deque[tuple[tuple[float, ...], float]] = deque(maxlen=self.window)
        self._since_training = 0
        self._models: list[Any] = []

    def predict(self, job: KnownJob) -> float:
        """Keep the features for the training; return the median."""
        self._features[job.job] = self._features_of(job, super().estimate(job))
        return super().predict(job)

    def estimate(self, job: KnownJob) -> Numbers:
        """Return the quantiles of the nearest jobs, shifted as the models predict."""
        near = super().estimate(job)
        if not self._models:
            return near
        features = [self._features_of(job, near)]
        with _one_thread():
            shifts = [float(model.predict(features)[0]) for model in self._models]
        return np.maximum(near + np.interp(_INNER, _BOOSTED, shifts), 0.0)

    def note(self, job: KnownJob, run_s: int) -> None:
        """Add the job to the window, and train if it is time."""
        features = self._features.pop(job.job, None)
        if features is None:
            features = self._features_of(job, super().estimate(job))
        super().note(job, run_s)
        self._ended.append((features, math.log1p(run_s)))
        self._since_training += 1
        if self._since_training == self.retrain_every:
            self._train()

    def _features_of(self, job: KnownJob, near: Numbers) -> tuple[float, ...]:
        return (math.log1p(job.request_s), float(job.nodes), *near[_COLUMNS].tolist())

    def _train(self) -> None:
        from sklearn.ensemble import HistGradientBoostingRegressor

        features, log_s = map(np.array, zip(*self._ended, strict=True))
        said = features[:, -len(_BOOSTED) :].T
        with _one_thread():
            self._models = [
                HistGradientBoostingRegressor(
                    loss="quantile",
                    quantile=level,
                    max_iter=50,
                    max_leaf_nodes=15,
                    early_stopping=False,
                    random_state=0,
                ).fit(features, log_s - near)
                for level, near in zip(_BOOSTED, said, strict=True)
            ]
        self._since_training = 0


def _one_thread() -> Any:
    """Limit OpenMP to one thread: waking others would cost more than such small tasks."""
    return _threads().limit(limits=1, user_api="openmp")


@cache
def _threads() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
