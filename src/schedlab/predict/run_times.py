"""Run times as distributions: a row of quantiles per job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab.errors import ParameterError

Numbers = NDArray[np.float64]

LEVELS: Numbers = np.array([0, 0.005, 0.01, 0.025, *np.arange(1, 20) / 20, 0.975, 0.99, 0.995, 1])
"""The levels at which a distribution keeps its quantiles; between them it is interpolated."""

_STEPS = np.diff(LEVELS)


@dataclass(frozen=True)
class RunTimes:
    """The distributions of the run times of some jobs.

    ``log_s`` has a row per job and a column per level of ``LEVELS``: log(1 + quantile), which never
    decreases along a row. Between the levels the logarithm is interpolated linearly.
    """

    log_s: Numbers

    @classmethod
    def exactly(cls, run_s: ArrayLike) -> Self:
        """Return distributions without spread, for predictions of one number per job."""
        log_s = np.log1p(np.asarray(run_s, dtype=float))
        return cls(np.repeat(np.atleast_1d(log_s)[:, None], len(LEVELS), axis=1))

    def __len__(self) -> int:
        return len(self.log_s)

    def quantiles(self, levels: ArrayLike, elapsed_s: ArrayLike = 0.0) -> Numbers:
        """Return the run times, in seconds, that are not exceeded with these probabilities.

        The result has a row per job and a column per level. To draw run times, give uniform random
        numbers as levels: the result is ``run times | run time > elapsed``.

        Args:
            levels: the probabilities, the same for every job, or a row of them per job.
            elapsed_s: how long the jobs have run already, one number or one per job.
        """
        levels = np.asarray(levels, dtype=float)
        if not ((levels >= 0) & (levels <= 1)).all():
            raise ParameterError("a level must be a number from 0 to 1")
        elapsed = np.broadcast_to(np.asarray(elapsed_s, dtype=float), (len(self),))[:, None]
        if not (elapsed >= 0).all():
            raise ParameterError("the time that a job has run must be a number of seconds >= 0")
        wanted = np.atleast_1d(levels)
        if (elapsed > 0).any():
            gone = np.where(elapsed > 0, self._level_of(np.log1p(elapsed)), 0.0)
            wanted = gone + wanted * (1 - gone)
        run_s = np.expm1(self._at(wanted)).round(6)  # 7200 s must come back as 7200 s
        found: Numbers = np.maximum(run_s, elapsed)
        return found

    def releveled(self, levels: Numbers) -> RunTimes:
        """Return the distributions whose quantiles at ``LEVELS`` are those here at ``levels``."""
        return RunTimes(self._at(levels))

    def between(self, run_s: ArrayLike) -> tuple[Numbers, Numbers]:
        """Return the probabilities of run times below these, and of run times not above these."""
        log_s = np.log1p(np.asarray(run_s, dtype=float))[:, None]
        return self._level_of(log_s, below=True)[:, 0], self._level_of(log_s)[:, 0]

    def _at(self, levels: Numbers) -> Numbers:
        """Interpolate all rows at these levels, or each row at its own row of levels."""
        left = np.minimum(np.searchsorted(LEVELS, levels, side="right") - 1, len(LEVELS) - 2)
        share = (levels - LEVELS[left]) / _STEPS[left]
        low, high = self._columns(left), self._columns(left + 1)
        return low + share * (high - low)

    def _level_of(self, log_s: Numbers, *, below: bool = False) -> Numbers:
        """Return the share of each row that is not above the number, or that is below it."""
        reached = self.log_s < log_s if below else self.log_s <= log_s
        last = reached.sum(axis=1, keepdims=True) - 1
        left = np.minimum(np.maximum(last, 0), len(LEVELS) - 2)
        low, high = self._columns(left), self._columns(left + 1)
        share = (log_s - low) / np.where(high > low, high - low, 1)
        inside = LEVELS[left] + share * _STEPS[left]
        return np.where(last < 0, 0.0, np.where(last == len(LEVELS) - 1, 1.0, inside))

    def _columns(self, places: NDArray[np.int64]) -> Numbers:
        """Return the values at these places of all rows, or at the places of a row for each."""
        if places.ndim == 1:
            return self.log_s[:, places]
        return self.log_s[np.arange(len(self))[:, None], places]
