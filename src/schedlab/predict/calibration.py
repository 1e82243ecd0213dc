"""Levels that are corrected by how often earlier quantiles were right."""

from __future__ import annotations

import numpy as np

from schedlab.predict.run_times import LEVELS, Numbers, RunTimes

_GOLDEN = (5**0.5 - 1) / 2


class Calibration:
    """Finds the level to ask a distribution for, so that each level is met in the long run.

    It keeps, for each of the last jobs, the level of its prediction at which it ended. If a tenth
    of them ended above the level 0.8, then 0.8 is the level to ask for where 0.9 is wanted:
    conformal prediction with the level as the score (Chernozhukov, Wüthrich & Zhu, PNAS 2021), on a
    sliding window.

    Args:
        window: number of the last ended jobs that count.
        doubt: number of imagined jobs, before the first, that ended as predicted.
    """

    def __init__(self, *, window: int = 10_000, doubt: int = 30) -> None:
        self._ended = np.zeros(window)
        self._count = 0
        self._prior = (np.arange(doubt) + 0.5) / doubt
        self._levels = LEVELS
        self._fresh = True

    def levels(self) -> Numbers:
        """Return the level to ask for, for each of ``LEVELS``."""
        if not self._fresh:
            ended = self._ended[: self._count]
            found = np.sort(np.concatenate([ended, self._prior]))
            ranks = (np.arange(len(found)) + 0.5) / len(found)
            self._levels = np.interp(LEVELS, ranks, found)
            self._levels[[0, -1]] = 0, 1
            self._fresh = True
        return self._levels

    def learn(self, predicted: RunTimes, run_s: int) -> None:
        """Record the level at which a job ended; ``predicted`` is not calibrated.

        Many jobs may end after the same time, such as at their request. Then the quantile is that
        time over a range of levels, and successive jobs take turns at different levels of the
        range.
        """
        below, up_to = predicted.between([run_s])
        turn = (self._count * _GOLDEN) % 1
        level = below[0] + turn * (up_to[0] - below[0])
        self._ended[self._count % len(self._ended)] = level
        self._count += 1
        if self._count <= 200 or self._count % 20 == 0:  # later, one job changes little
            self._fresh = False
