"""Scores of forecasts of starts, made at many moments of a trace and compared with its replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.platform import Platform
from schedlab.policies import PolicyLike
from schedlab.sim import Simulation, simulate
from schedlab.sim.forecast import FORECAST_LEVELS, Forecaster, StartForecast
from schedlab.units import require_whole
from schedlab.workload import Workload

Numbers = NDArray[np.float64]
FIRST = 0.1
"""The first tenth of the forecasts is not scored: the forecaster learns from them."""
CLASS_MEMORY = 1000
"""The number of most recent waits of a size class that the naive forecast uses."""
_INTERVALS = {50: (0.25, 0.75), 80: (0.1, 0.9)}


@dataclass(frozen=True)
class ForecastScores:
    """The scores of forecasts; losses are in seconds.

    Args:
        moments: number of moments whose forecasts were scored.
        jobs: number of scored forecasts of single jobs.
        within_50: the share of jobs that started in the 50 % interval.
        within_80: the share of jobs that started in the 80 % interval.
        pinball_loss_s: the mean pinball loss over jobs and levels.
        naive_loss_s: the same loss of the quantiles of past waits of the same size class.
        replay_loss_s: the same loss of one replay with requested times, as ``squeue --start`` gives
            it.
        mean_wait_s: the mean time of the scored jobs from the forecast to the start.
        width_80_s: the median width of the 80 % interval.
    """

    moments: int
    jobs: int
    within_50: float
    within_80: float
    pinball_loss_s: float
    naive_loss_s: float
    replay_loss_s: float
    mean_wait_s: float
    width_80_s: float

    @property
    def of_naive(self) -> float:
        """The loss as a share of the naive forecast's."""
        return self.pinball_loss_s / self.naive_loss_s if self.naive_loss_s else 1.0

    @property
    def of_replay(self) -> float:
        """The loss as a share of the replay's."""
        return self.pinball_loss_s / self.replay_loss_s if self.replay_loss_s else 1.0

    def as_json(self) -> dict[str, Any]:
        """Return all figures, for files."""
        return asdict(self) | {"of_naive": self.of_naive, "of_replay": self.of_replay}


def score_forecasts(
    workload: Workload,
    platform: Platform | int,
    policy: PolicyLike,
    *,
    moments: int = 200,
    jobs: int = 30,
    forks: int = 50,
    arrivals: bool = True,
    predict: str = "nearest-quantiles",
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ForecastScores:
    """Make forecasts at moments of a trace, and score them.

    The moments are submissions, drawn at random, of jobs that have to wait. At each, some of the
    waiting jobs are scored. A forecast uses only what happened before it, and is corrected by the
    outcomes of earlier forecasts.

    Args:
        workload: the trace.
        platform: the machine.
        policy: the policy of the replay and of the forecasts.
        moments: number of moments.
        jobs: largest number of waiting jobs that are scored at each moment.
        forks: futures per forecast.
        arrivals: whether new jobs arrive in these futures.
        predict: the predictor of run times.
        seed: seed for the draws of moments, jobs and futures.
        progress: called with (moments done, moments in all).
    """
    require_whole("moments", moments, 1, most=1_000_000)
    require_whole("jobs", jobs, 1)
    truth = simulate(workload, platform, policy)
    rng = np.random.default_rng(seed)
    waited = workload["submit_s"][truth.start_s > workload["submit_s"]]
    times = np.unique(rng.choice(waited, min(moments, len(waited)), replace=False))
    first = int(FIRST * len(times))
    simulation = Simulation(workload, platform, policy)
    forecaster = Forecaster(simulation, forks=forks, arrivals=arrivals, predict=predict, seed=seed)
    naive = PastWaits(workload)
    scored: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []
    ahead_s = []
    for done, time_s in enumerate(times.tolist()):
        simulation.run(time_s)
        found = forecaster.forecast()
        chosen = np.flatnonzero(truth.start_s[found.job] >= found.now_s)
        if len(chosen) and done >= first:
            chosen = rng.choice(chosen, min(jobs, len(chosen)), replace=False)
            told = found.take(chosen)
            real = truth.start_s[told.job].astype(float)
            past = naive.forecast(simulation.start_times(), told)
            scored.append((told.start_s, past, replayed(simulation, told), real))
            ahead_s.append(real - told.now_s)
        if progress is not None:
            progress(done + 1, len(times))
    if not scored:
        raise ParameterError("no job waits at any of the moments: there is nothing to forecast")
    ours, past, point, real = (np.concatenate(each) for each in zip(*scored, strict=True))
    return _scores(len(scored), ours, past, point, real, np.concatenate(ahead_s))


def _scores(
    moments: int, ours: Numbers, past: Numbers, point: Numbers, real: Numbers, ahead_s: Numbers
) -> ForecastScores:
    within = {}
    for share, ends in _INTERVALS.items():
        low, high = (ours[:, np.isclose(FORECAST_LEVELS, end)][:, 0] for end in ends)
        inside = (np.floor(low) <= real) & (real <= np.ceil(high))
        within[share] = float(inside.mean())
    return ForecastScores(
        moments=moments,
        jobs=len(real),
        within_50=within[50],
        within_80=within[80],
        pinball_loss_s=pinball(ours, real),
        naive_loss_s=pinball(past, real),
        replay_loss_s=pinball(point, real),
        mean_wait_s=float(ahead_s.mean()),
        width_80_s=float(np.median(high - low)),
    )


def pinball(quantiles: Numbers, real: Numbers) -> float:
    """Return the mean over jobs and levels of the pinball loss."""
    error = real[:, None] - quantiles
    return float(np.maximum(FORECAST_LEVELS * error, (FORECAST_LEVELS - 1) * error).mean())


def replayed(simulation: Simulation, told: StartForecast) -> Numbers:
    """Return the starts in one replay with requested times, the same at every level."""
    jobs = simulation.unfinished()
    runs = np.maximum(jobs.request_s, jobs.least_run_s)[None]
    starts = simulation.imagined_starts(runs)[0, 0]
    places = np.searchsorted(jobs.job, told.job)
    return np.repeat(starts[places].astype(float)[:, None], len(FORECAST_LEVELS), axis=1)


class PastWaits:
    """A forecast of starts from past waits of jobs of the same size, without a model."""

    def __init__(self, workload: Workload) -> None:
        self._submit_s = workload["submit_s"]
        self._class = np.floor(np.log2(np.maximum(workload["nodes"], 1))).astype(np.int64)

    def forecast(self, start_s: NDArray[np.int64], told: StartForecast) -> Numbers:
        """Return quantiles of the starts of the jobs in ``told``.

        For a job that has waited for an hour, only waits of more than an hour count.
        """
        started = np.flatnonzero(start_s >= 0)
        started = started[np.argsort(start_s[started], kind="stable")]
        waits = start_s[started] - self._submit_s[started]
        rows = np.empty_like(told.start_s)
        for at, job in enumerate(told.job):
            own = waits[self._class[started] == self._class[job]][-CLASS_MEMORY:]
            waited_s = told.now_s - int(told.submit_s[at])
            longer = own[own > waited_s] - waited_s
            if not len(longer):
                longer = np.array([waited_s + 1])  # as long again
            rows[at] = told.now_s + np.quantile(longer, FORECAST_LEVELS)
        return rows
