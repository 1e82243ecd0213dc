"""Forecast the starts of waiting jobs, again and again as a simulation goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.predict import QuantilePredictor, find_predictor
from schedlab.sim.forecast.calibration import StartCalibration
from schedlab.sim.forecast.futures import DAY_S, PastArrivals, RunTimeDraws, drawn_levels
from schedlab.sim.forecast.start_forecast import FORECAST_LEVELS, StartForecast
from schedlab.sim.imagined import Arrivals
from schedlab.units import require_whole
from schedlab.workload import Workload

LONGEST_S = 14 * DAY_S
"""No future is simulated for longer."""
SHORTEST_S = 3600
MEMORY_S = 28 * DAY_S
"""How long before a forecast earlier ones are made, to learn from."""


class _Simulation(Protocol):
    """What a forecaster asks of a simulation: see ``Simulation``."""

    @property
    def now_s(self) -> int: ...
    @property
    def workload(self) -> Workload: ...
    def start_times(self) -> NDArray[np.int64]: ...
    def end_times(self) -> NDArray[np.int64]: ...
    def job_id(self, jobs: NDArray[np.int32]) -> NDArray[np.int64]: ...
    def unfinished(self) -> _core.Unfinished: ...
    def imagined_starts(
        self,
        run_s: ArrayLike,
        *,
        arrivals: Sequence[Arrivals] | None = None,
        until_s: int | None = None,
        threads: int = 1,
    ) -> NDArray[np.int64]: ...
    def run(self, until_s: int | None = None) -> object: ...


class Forecaster:
    """Forecasts when the waiting jobs of a simulation will start.

    It forks the simulation into futures: run times are drawn from those of similar jobs of the
    past, given how long a job has run already; new jobs arrive as they did in the same hours of
    past weeks. It uses nothing that a scheduler could not know. Earlier forecasts and what became
    of them correct the next ones: call it several times while the simulation goes on.

    Args:
        simulation: the simulation, which goes on.
        forks: number of futures to simulate.
        arrivals: whether new jobs arrive. Default: yes.
        predict: a predictor of distributions of run times.
        seed: seed of the futures.
        threads: number of threads. Default: one for each processor.
    """

    def __init__(
        self,
        simulation: _Simulation,
        *,
        forks: int = 100,
        arrivals: bool = True,
        predict: str = "nearest-quantiles",
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self._simulation = simulation
        self._forks = require_whole("forks", forks, 1, most=10_000)
        self._threads = require_whole("threads", threads or os.cpu_count() or 1, 1, most=1024)
        self._rng = np.random.default_rng(require_whole("seed", seed))
        workload = simulation.workload
        predictor = find_predictor(predict).make(workload)
        if not isinstance(predictor, QuantilePredictor):
            raise ParameterError(
                f'predictor "{predict}" gives no distribution; take nearest-quantiles, '
                "class-quantiles, boosting-quantiles or past"
            )
        self._runs = RunTimeDraws(workload, predictor)
        self._arrivals = PastArrivals(workload) if arrivals else None
        self._calibration = StartCalibration(self._rng)

    def run(
        self,
        until_s: int,
        moments: int = 60,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Let the simulation go on, and learn from forecasts at moments of its last four weeks.

        Args:
            until_s: when it stops.
            moments: number of forecasts before that; 0 for none.
            progress: called with the number of moments done, and of all.
        """
        until_s = require_whole("until_s", until_s)
        moments = require_whole("moments", moments, most=10_000)
        first_s = max(until_s - MEMORY_S, int(self._simulation.now_s), 0)
        for done, time_s in enumerate(np.linspace(first_s, until_s, moments + 1)[:-1], 1):
            self._simulation.run(int(time_s))
            self.forecast()
            if progress is not None:
                progress(done, moments)
        self._simulation.run(until_s)

    def forecast(self) -> StartForecast:
        """Return when the jobs that wait now will start."""
        simulation = self._simulation
        self._runs.learn(simulation.end_times())
        self._calibration.learn(simulation.now_s, simulation.start_times())
        jobs = simulation.unfinished()
        waiting = np.flatnonzero(jobs.is_waiting)
        log_s = self._log_waits(waiting) if len(waiting) else np.empty((0, len(FORECAST_LEVELS)))
        now_s = simulation.now_s
        self._calibration.told(now_s, jobs.job[waiting], log_s)
        return StartForecast(
            now_s,
            jobs.job[waiting],
            simulation.job_id(jobs.job[waiting]),
            jobs.submit_s[waiting],
            jobs.nodes[waiting],
            now_s + np.expm1(self._calibration.moved(log_s)),
            self._forks,
        )

    def _log_waits(self, waiting: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return quantiles of log(1 + seconds from now) over the futures."""
        simulation = self._simulation
        now_s, jobs = simulation.now_s, simulation.unfinished()
        kinds = np.column_stack([jobs.user, jobs.nodes, jobs.request_s])
        runs = self._runs.draw(jobs, drawn_levels(kinds, self._forks, self._rng))
        arrivals, until_s = None, None
        if self._arrivals is not None:
            horizon_s = self._horizon_s(waiting, runs)
            arrivals = self._arrivals.draw(now_s, horizon_s, jobs, runs, self._rng)
            until_s = now_s + horizon_s
        starts = simulation.imagined_starts(
            runs, arrivals=arrivals, until_s=until_s, threads=self._threads
        )[:, 0, waiting]
        waits = np.where(starts < 0, (until_s or 0) - now_s, starts - now_s)
        quantiles: NDArray[np.float64] = np.quantile(
            np.log1p(np.maximum(waits, 0)), FORECAST_LEVELS, axis=0
        ).T
        return quantiles

    def _horizon_s(self, waiting: NDArray[np.intp], runs: NDArray[np.int64]) -> int:
        """Return twice the time in which the waiting jobs would start if no other jobs came."""
        starts = self._simulation.imagined_starts(runs[:4], threads=self._threads)
        last_s = int(starts[:, 0, waiting].max()) - self._simulation.now_s
        return int(np.clip(2 * last_s, SHORTEST_S, LONGEST_S))
