"""Correct quantiles of starts by how far earlier quantiles were off."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from schedlab.sim.forecast.start_forecast import FORECAST_LEVELS

Numbers = NDArray[np.float64]
WINDOW = 3000
"""Number of jobs that count: those that started last."""
EACH = 30
"""Number of jobs of one forecast that count: jobs of one moment start late or early together."""
DOUBT, SPREAD = 20, 0.8
"""The prior: this number of jobs that started about as forecast, with this standard deviation in
log(1 + wait)."""
HALF_LIFE_S, OLD = 86_400.0, 0.1
"""After this time a forecast counts half; very old ones still count this much."""
REACH = 1.0
"""The width of the kernel over log medians by which forecasts weigh each other: a factor e."""
_PRIOR = np.array([SPREAD * NormalDist().inv_cdf((rank + 0.5) / DOUBT) for rank in range(DOUBT)])
_GOLDEN = (5**0.5 - 1) / 2
_MIDDLE = len(FORECAST_LEVELS) // 2


@dataclass(frozen=True)
class _PendingForecasts:
    """Forecasts for jobs that have not started yet, as log(1 + seconds from then)."""

    now_s: int
    job: NDArray[np.int32]
    log_s: Numbers

    def take(self, which: NDArray[np.bool_]) -> _PendingForecasts:
        return _PendingForecasts(self.now_s, self.job[which], self.log_s[which])

    def expected(self, now_s: int) -> Numbers:
        """Return starts that are as likely as the forecast says, given that the jobs still wait."""
        gone = np.log1p(now_s - self.now_s)
        levels = np.concatenate([[0.0], FORECAST_LEVELS, [1.0]])
        found = np.empty(len(self.job))
        for at, row in enumerate(self.log_s):
            ends = np.concatenate([[min(row[0], gone)], row, [max(row[-1], gone)]])
            reached = float(np.interp(gone, ends, levels))
            share = (self.now_s * _GOLDEN + at * _GOLDEN) % 1
            log_s = np.interp(reached + share * (1 - reached), levels, ends)
            found[at] = self.now_s + np.expm1(max(log_s, gone))
        return found

    def off(self, start_s: NDArray[np.generic]) -> Numbers:
        """Return a row per job: when its forecast was made, the median, and the errors.

        The errors say how far after each quantile the job started.
        """
        real = np.log1p(np.maximum(start_s - self.now_s, 0))
        made = np.full(len(self.job), float(self.now_s))
        return np.column_stack([made, self.log_s[:, _MIDDLE], real[:, None] - self.log_s])


class StartCalibration:
    """Moves each quantile so that in the long run as many jobs start by then as it says.

    A quantile of level p is moved by the p-quantile of how far it was exceeded, in log(1 + wait),
    by jobs with forecasts about as long: conformalized quantile regression (Romano, Patterson &
    Candès, NeurIPS 2019), made local by the median. A job that still waits counts with a start
    that is as likely as its forecast says, given that it still waits; without such jobs only those
    that started soon would count.

    Args:
        rng: chooses the jobs of a forecast that count.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._waiting: list[_PendingForecasts] = []
        self._started: deque[Numbers] = deque(maxlen=WINDOW)
        self._known = np.empty((0, 2 + len(FORECAST_LEVELS)))
        self._now_s = 0

    def told(self, now_s: int, job: NDArray[np.int32], log_s: Numbers) -> None:
        """Remember what was forecast."""
        if len(job):
            chosen = self._rng.choice(len(job), min(EACH, len(job)), replace=False)
            self._waiting.append(_PendingForecasts(now_s, job[chosen], log_s[chosen]))

    def learn(self, now_s: int, start_s: NDArray[np.int64]) -> None:
        """Learn from the jobs that have started since; ``start_s`` is -1 for the others."""
        self._now_s = now_s
        kept, late = [], []
        for each in self._waiting:
            started = start_s[each.job] >= 0
            if started.any():
                ended = each.take(started)
                self._started.extend(ended.off(start_s[ended.job]))
            if not started.all():
                left = each.take(~started)
                kept.append(left)
                late.append(left.off(left.expected(now_s)))
        self._waiting = kept
        rows = [np.array(self._started)] if self._started else []
        self._known = np.concatenate([*rows, *late]) if rows or late else self._known[:0]

    def moved(self, log_s: Numbers) -> Numbers:
        """Return the corrected quantiles."""
        if not len(log_s):
            return log_s
        # Jobs with nearly the same median are moved alike.
        steps, which = np.unique((log_s[:, _MIDDLE] / (REACH / 4)).round(), return_inverse=True)
        table = np.array([self._offsets(step * REACH / 4) for step in steps])
        moved = np.maximum.accumulate(log_s + table[which], axis=1)
        return np.maximum(moved, 0.0)

    def _offsets(self, middle: float) -> Numbers:
        """Return how far to move each level, for forecasts with this median."""
        made, medians = self._known[:, 0], self._known[:, 1]
        weights = np.exp(-(((medians - middle) / REACH) ** 2) / 2)
        weights *= OLD + 0.5 ** ((self._now_s - made) / HALF_LIFE_S)
        weights = np.append(weights, np.full(DOUBT, OLD))
        found = np.empty(len(FORECAST_LEVELS))
        for at, level in enumerate(FORECAST_LEVELS):
            values = np.append(self._known[:, 2 + at], _PRIOR)
            found[at] = _weighted_quantile(values, weights, level)
        return found


def _weighted_quantile(values: Numbers, weights: Numbers, level: float) -> float:
    order = np.argsort(values, kind="stable")
    ranks = np.cumsum(weights[order]) - weights[order] / 2
    return float(np.interp(level * weights.sum(), ranks, values[order]))
