"""Forecasts for a cluster without a twin: EASY goes on from what runs and waits."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from schedlab.history.web.simulations.forecast_jobs import PastJobs
from schedlab.sim import Simulation
from schedlab.sim.forecast.futures import drawn_levels
from schedlab.sim.forecast.past_forecaster import PastForecaster, Places, Seconds
from schedlab.workload import Workload

POLICY = "easy"
_FORGOTTEN = (
    *("depends_on", "dependencies", "think_time_s", "begin_after_s", "cancel_after_s"),
    *("array", "array_index", "array_limit"),
)
"""Columns that say what a job had to wait for; they are dropped, since all jobs are eligible."""


class PresentForecaster(PastForecaster):
    """Forecasts starts at moments of a cluster's past, one after the other.

    The jobs that run go on, and those that wait start under EASY, in the order in which they came.
    The forecaster learns how the real order differs.

    Args:
        past: the jobs.
        forks: the number of futures that are simulated.
        seed: the seed that draws them.
    """

    def __init__(self, past: PastJobs, *, forks: int = 50, seed: int = 0) -> None:
        self._past = past
        submit_s = past.workload["submit_s"].astype(np.float64)
        super().__init__(past.workload, submit_s, past.start_s, past.end_s, forks=forks, seed=seed)

    def starts(self, running: Places, waiting: Places, at_s: float) -> Seconds:
        """Return the starts of waiting jobs under EASY: a row for each simulated future."""
        running = running[np.argsort(self._start_s[running], kind="stable")]
        places = np.concatenate([running, waiting])
        elapsed_s = np.zeros(len(places))
        elapsed_s[: len(running)] = at_s - self._start_s[running]
        simulation = self._present(places, len(running), elapsed_s)
        jobs = simulation.unfinished()
        runs = self._drawn(places, elapsed_s)[:, jobs.job]
        starts = simulation.imagined_starts(
            np.maximum(runs, jobs.least_run_s), threads=os.cpu_count() or 1
        )[:, 0, :]
        by_place = np.empty(starts.shape)
        by_place[:, jobs.job] = np.where(starts < 0, np.nan, starts - simulation.now_s + at_s)
        return by_place[:, len(running) :]

    def _present(self, places: Places, running: int, elapsed_s: Seconds) -> Simulation:
        """Simulate the present: running jobs come at 0 and the others a second later."""
        workload = self._past.workload
        names = [name for name in workload.columns if name not in _FORGOTTEN]
        columns = {name: workload[name][places] for name in names}
        left_s = np.maximum(columns["request_s"] - elapsed_s.astype(np.int64), 2)
        submit_s = np.where(np.arange(len(places)) < running, 0, 1)
        columns |= {"submit_s": submit_s, "request_s": left_s, "run_s": left_s}
        there = Workload(columns, name=workload.name, labels=workload.labels)
        return Simulation(there, self._past.platform, POLICY).run(1)

    def _drawn(self, places: Places, elapsed_s: Seconds) -> NDArray[np.int64]:
        """Return how much longer jobs run: a row for each future."""
        workload = self._past.workload
        users = workload["user"][places]
        kinds = np.column_stack([users, workload["nodes"][places], workload["request_s"][places]])
        levels = drawn_levels(kinds, self._forks, self._rng)
        runs_s = self._runs.distributions(places).quantiles(levels, elapsed_s).T - elapsed_s
        drawn: NDArray[np.int64] = np.maximum(np.rint(runs_s), 1).astype(np.int64)
        return drawn
