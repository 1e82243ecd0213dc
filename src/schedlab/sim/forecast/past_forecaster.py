"""Forecasts at moments of a cluster's past, each of which corrects the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.predict import NearestQuantiles
from schedlab.sim.forecast.calibration import StartCalibration
from schedlab.sim.forecast.futures import RunTimeDraws
from schedlab.sim.forecast.start_forecast import FORECAST_LEVELS, StartForecast
from schedlab.units import require_whole
from schedlab.workload import Workload

NEVER_S = 30 * 86_400.0
"""A job that does not start in a future counts as one that starts after this time."""
Seconds = NDArray[np.float64]
Places = NDArray[np.intp]


def wait_quantiles(starts_s: Seconds, at_s: float) -> Seconds:
    """Return quantiles of log(1 + seconds from a moment) of jobs, over futures.

    Args:
        starts_s: a row for each future; nan for a job that does not start.
        at_s: the moment.
    """
    waits = np.where(np.isnan(starts_s), NEVER_S, np.maximum(starts_s - at_s, 0.0))
    found: Seconds = np.quantile(np.log1p(waits), FORECAST_LEVELS, axis=0).T
    return found


class PastForecaster(ABC):
    """Forecasts starts at moments of a cluster's past, one after the other.

    Run times are drawn from those of similar jobs, given how long a job has run. No new jobs
    arrive. Earlier forecasts correct later ones. Subclasses simulate the futures in ``starts``.

    Args:
        workload: the jobs.
        submit_s: when they came, on the clock of the workload.
        start_s: when they started; nan for a job that has not.
        end_s: when they ended; nan for a job that has not.
        first_s: from when on the past is known.
        forks: number of futures to simulate.
        seed: seed of the futures.
    """

    def __init__(
        self,
        workload: Workload,
        submit_s: Seconds,
        start_s: Seconds,
        end_s: Seconds,
        *,
        first_s: float = 0.0,
        forks: int = 50,
        seed: int = 0,
    ) -> None:
        self._workload, self._first_s = workload, first_s
        self._submit_s, self._start_s, self._end_s = submit_s, start_s, end_s
        self._forks = require_whole("forks", forks, 1, most=1000)
        self._rng = np.random.default_rng(require_whole("seed", seed))
        self._runs = RunTimeDraws(workload, NearestQuantiles())
        self._calibration = StartCalibration(self._rng)

    @abstractmethod
    def starts(self, running: Places, waiting: Places, at_s: float) -> Seconds:
        """Return when the waiting jobs start: a row for each future, nan for never.

        Args:
            running: the places of the jobs that run, in the order of the workload.
            waiting: the places of the jobs that wait.
            at_s: the moment.
        """

    def learn_before(
        self, at_s: float, moments: int, tell: Callable[[int, int], None] | None = None
    ) -> None:
        """Make forecasts at moments before this one, to learn from what became of them.

        Args:
            at_s: the moment, on the clock of the workload.
            moments: number of moments.
            tell: called with the number of moments done, and of all.
        """
        if at_s <= self._first_s:
            return
        times_s = np.linspace(self._first_s, at_s, moments + 2)[1:-1]
        for done, time_s in enumerate(times_s.tolist(), 1):
            if self._waits_at(time_s).any():
                self.forecast(time_s)
            if tell is not None:
                tell(done, moments)

    def forecast(self, at_s: float) -> StartForecast:
        """Return when the jobs that wait at a moment will start."""
        self.require_waiting(at_s)
        waiting = np.flatnonzero(self._waits_at(at_s))
        self._runs.learn(_known(self._end_s, at_s))
        self._calibration.learn(int(at_s), _known(self._start_s, at_s))
        running = np.flatnonzero((self._start_s <= at_s) & ~(self._end_s <= at_s))
        log_s = wait_quantiles(self.starts(running, waiting, at_s), at_s)
        jobs = waiting.astype(np.int32)
        self._calibration.told(int(at_s), jobs, log_s)
        return StartForecast(
            int(at_s),
            jobs,
            self._workload["job_id"][waiting],
            self._submit_s[waiting].astype(np.int64),
            self._workload["nodes"][waiting],
            at_s + np.expm1(self._calibration.moved(log_s)),
            self._forks,
        )

    def require_waiting(self, at_s: float) -> None:
        """Refuse a moment at which no job waits."""
        if not self._waits_at(at_s).any():
            raise ParameterError(
                f"no job waits at {at_s:,.0f} s of the history; choose another moment"
            )

    def _waits_at(self, at_s: float) -> NDArray[np.bool_]:
        gone = (self._start_s <= at_s) | (self._end_s <= at_s)
        return (self._submit_s <= at_s) & ~gone


def _known(times_s: Seconds, at_s: float) -> NDArray[np.int64]:
    """Return the times that were known at a moment; -1 for what had not happened yet."""
    return np.where(times_s <= at_s, np.nan_to_num(times_s, nan=-1), -1).astype(np.int64)
