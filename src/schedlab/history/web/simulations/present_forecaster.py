"""Forecasts for a cluster without a twin: EASY goes on from what runs and waits."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.history.web.simulations.forecast_jobs import Past, Seconds
from schedlab.predict import NearestQuantiles
from schedlab.sim import Simulation
from schedlab.sim.forecast import FORECAST_LEVELS, StartForecast
from schedlab.sim.forecast.calibration import StartCalibration
from schedlab.sim.forecast.futures import RunTimeDraws, drawn_levels
from schedlab.units import require_whole
from schedlab.workload import Workload

POLICY = "easy"
NEVER_S = 30 * 86_400
"""A job that does not start counts as one that starts after this long."""
_FORGOTTEN = (
    *("depends_on", "dependencies", "think_time_s", "begin_after_s", "cancel_after_s"),
    *("array", "array_index", "array_limit"),
)
"""Columns that say what a job had to wait for: those that are looked at are eligible."""
Places = NDArray[np.intp]


class PresentForecaster:
    """Forecasts starts at moments of a cluster's past, one after the other.

    The jobs that run go on, those that wait start under EASY, in the order in which they came. Run
    times are drawn from what similar jobs ran for, given how long a job has run. No job comes. What
    it said before corrects what it says next, so that it learns how the real order differs.

    Args:
        past: the jobs.
        forks: how many futures are simulated.
        seed: draws them.
    """

    def __init__(self, past: Past, *, forks: int = 50, seed: int = 0) -> None:
        self._past = past
        self._forks = require_whole("forks", forks, 1, most=1000)
        self._rng = np.random.default_rng(require_whole("seed", seed))
        self._runs = RunTimeDraws(past.workload, NearestQuantiles())
        self._calibration = StartCalibration(self._rng)

    def learn_before(
        self, at_s: int, moments: int, tell: Callable[[int, int], None] | None = None
    ) -> None:
        """Make forecasts at moments before this one, to learn from what became of them.

        Args:
            at_s: the moment, on the clock of the workload.
            moments: how many.
            tell: hears how many are done, of how many.
        """
        for done, time_s in enumerate(np.linspace(0, at_s, moments + 2)[1:-1].astype(int), 1):
            if self._waiting(int(time_s)).any():
                self.forecast(int(time_s))
            if tell is not None:
                tell(done, moments)

    def forecast(self, at_s: int) -> StartForecast:
        """Return when the jobs that wait at a moment will start."""
        waiting = np.flatnonzero(self._waiting(at_s))
        if not len(waiting):
            raise ParameterError("no job waits")
        self._runs.learn(_known(self._past.end_s, at_s))
        self._calibration.learn(at_s, _known(self._past.start_s, at_s))
        log_s = self._log_waits(waiting, at_s)
        jobs = waiting.astype(np.int32)
        self._calibration.told(at_s, jobs, log_s)
        workload = self._past.workload
        return StartForecast(
            at_s,
            jobs,
            workload["job_id"][waiting],
            workload["submit_s"][waiting],
            workload["nodes"][waiting],
            at_s + np.expm1(self._calibration.moved(log_s)),
            self._forks,
        )

    def _waiting(self, at_s: int) -> NDArray[np.bool_]:
        gone = (self._past.start_s <= at_s) | (self._past.end_s <= at_s)
        return (self._past.workload["submit_s"] <= at_s) & ~gone

    def _running(self, at_s: int) -> Places:
        """In order of start."""
        past = self._past
        places = np.flatnonzero((past.start_s <= at_s) & ~(past.end_s <= at_s))
        return places[np.argsort(past.start_s[places], kind="stable")]

    def _log_waits(self, waiting: Places, at_s: int) -> NDArray[np.float64]:
        """Quantiles of log(1 + seconds from now) over the futures."""
        running = self._running(at_s)
        places = np.concatenate([running, waiting])
        elapsed_s = np.zeros(len(places))
        elapsed_s[: len(running)] = at_s - self._past.start_s[running]
        simulation = self._present(places, len(running), elapsed_s)
        jobs = simulation.unfinished()
        runs = self._drawn(places, elapsed_s)[:, jobs.job]
        starts = simulation.imagined_starts(
            np.maximum(runs, jobs.least_run_s), threads=os.cpu_count() or 1
        )[:, 0, :]
        by_place = np.empty_like(starts)
        by_place[:, jobs.job] = starts
        waits = by_place[:, len(running) :] - simulation.now_s
        waits = np.where(by_place[:, len(running) :] < 0, NEVER_S, np.maximum(waits, 0))
        found: NDArray[np.float64] = np.quantile(np.log1p(waits), FORECAST_LEVELS, axis=0).T
        return found

    def _present(self, places: Places, running: int, elapsed_s: Seconds) -> Simulation:
        """Those that run start at 0, and the others come a second later."""
        workload = self._past.workload
        names = [name for name in workload.columns if name not in _FORGOTTEN]
        columns = {name: workload[name][places] for name in names}
        left_s = np.maximum(columns["request_s"] - elapsed_s.astype(np.int64), 2)
        submit_s = np.where(np.arange(len(places)) < running, 0, 1)
        columns |= {"submit_s": submit_s, "request_s": left_s, "run_s": left_s}
        there = Workload(columns, name=workload.name, labels=workload.labels)
        return Simulation(there, self._past.platform, POLICY).run(1)

    def _drawn(self, places: Places, elapsed_s: Seconds) -> NDArray[np.int64]:
        """How long jobs go on to run: a row for each future."""
        workload = self._past.workload
        users = workload["user"][places]
        kinds = np.column_stack([users, workload["nodes"][places], workload["request_s"][places]])
        levels = drawn_levels(kinds, self._forks, self._rng)
        runs_s = self._runs.distributions(places).quantiles(levels, elapsed_s).T - elapsed_s
        drawn: NDArray[np.int64] = np.maximum(np.rint(runs_s), 1).astype(np.int64)
        return drawn


def _known(times_s: Seconds, at_s: int) -> NDArray[np.int64]:
    """What was known then; -1 for what had not happened."""
    return np.where(times_s <= at_s, np.nan_to_num(times_s, nan=-1), -1).astype(np.int64)
