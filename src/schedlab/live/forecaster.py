"""When the jobs that wait at a running scheduler will start."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from schedlab.live.mirror import Mirror
from schedlab.live.queue import LiveJob
from schedlab.predict import NearestQuantiles, RunTimes
from schedlab.sim.forecast import StartForecast
from schedlab.sim.forecast.calibration import StartCalibration
from schedlab.sim.forecast.futures import RECENT, ForecastJob
from schedlab.sim.forecast.past_forecaster import wait_quantiles
from schedlab.slurm.replay import history_of
from schedlab.slurm.site import SlurmHistory, SlurmSite
from schedlab.slurm.twin_futures import TwinFutures
from schedlab.units import require_whole


class LearntRunTimes:
    """Run times of each user's jobs, in the history of the site and since.

    Args:
        history: the history of the site; None if there is none.
    """

    def __init__(self, history: SlurmHistory | None) -> None:
        self._predictor = NearestQuantiles()
        self._codes: dict[str, int] = {}
        if history is not None:
            self._learn_history(history)

    def _learn_history(self, history: SlurmHistory) -> None:
        ends = history.details["end_s"].cast(float).fill_null(np.nan).to_numpy()
        starts = history.details["start_s"].cast(float).fill_null(np.nan).to_numpy()
        places = np.flatnonzero(~np.isnan(ends) & ~np.isnan(starts))
        places = places[np.argsort(ends[places], kind="stable")][-RECENT:]
        jobs = self._jobs(history)
        runs = np.maximum(ends - starts, 1.0)
        self._predictor.note_all(
            [jobs[at] for at in places], [int(runs[at]) for at in places.tolist()]
        )

    def learn(self, ended: Iterable[LiveJob]) -> None:
        """Learn the run times of jobs that have ended."""
        known = [job for job in ended if job.start is not None and job.end is not None]
        jobs = [
            ForecastJob(0, job.min_nodes or 1, job.limit_s, job.submit, self._code(job.user))
            for job in known
        ]
        runs = [max((job.end or 0) - (job.start or 0), 1) for job in known]
        self._predictor.note_all(jobs, runs)

    def of(self, history: SlurmHistory) -> RunTimes:
        """Return the distribution of each job's run time, as learnt up to now."""
        return self._predictor.run_times(self._jobs(history))

    def _jobs(self, history: SlurmHistory) -> list[ForecastJob]:
        workload = history.workload
        names = workload.labels.get("user", ())
        users = workload["user"] if "user" in workload.columns else np.full(len(workload), -1)
        columns = (workload[name].tolist() for name in ("nodes", "request_s", "submit_s"))
        return [
            ForecastJob(at, nodes, request_s, submit_s, self._code(_name(names, user)))
            for at, (nodes, request_s, submit_s, user) in enumerate(
                zip(*columns, users.tolist(), strict=True)
            )
        ]

    def _code(self, user: str) -> int:
        return self._codes.setdefault(user, len(self._codes))


def _name(names: tuple[str, ...], code: int) -> str:
    if code < 0:
        return ""
    return names[code] if names else str(code)


class LiveForecaster:
    """Forecasts starts at every reading; its earlier forecasts correct the next ones.

    Run times are drawn from those of similar jobs; the phases of slurmctld's loops are drawn, too.
    No new jobs arrive.

    Args:
        site: the imported site; its history has the run times.
        forks: number of futures to replay.
        seed: seed of the draws.
    """

    def __init__(self, site: SlurmSite, *, forks: int = 50, seed: int = 0) -> None:
        self.forks = require_whole("forks", forks, 1, most=1000)
        self.rng = np.random.default_rng(require_whole("seed", seed))
        self.run_times = LearntRunTimes(site.history)
        self._calibration = StartCalibration(self.rng)
        self._numbers: dict[str, int] = {}
        self._ended: set[str] = set()

    def learn(self, mirror: Mirror) -> None:
        """Learn from the jobs that have started or ended."""
        ended = [job for job in mirror.jobs.values() if job.end is not None]
        self.run_times.learn(job for job in ended if job.id not in self._ended)
        self._ended = {job.id for job in ended}
        starts = np.full(len(self._numbers), -1, np.int64)
        for name, number in self._numbers.items():
            job = mirror.jobs.get(name)
            if job is not None and job.start is not None:
                starts[number] = max(job.start - mirror.epoch_s, 0)
        self._calibration.learn(int(mirror.now) - mirror.epoch_s, starts)

    def futures(self, present: SlurmSite) -> TwinFutures:
        """Return simulated futures of the present."""
        history = history_of(present)
        # A job may start while the queue is being read.
        since_s = np.maximum(history.begin_s - start_times(history), 0.0)
        elapsed_s = np.where(runs(history), since_s, 0.0)
        return TwinFutures(present, self.run_times.of(history), elapsed_s, self.forks, self.rng)

    def forecast(
        self,
        present: SlurmSite,
        futures: TwinFutures,
        tell: Callable[[], object] = lambda: None,
    ) -> StartForecast:
        """Return when the jobs that wait will start.

        Args:
            present: the site of a mirror now.
            futures: futures of this site.
            tell: called after each future.
        """
        history = history_of(present)
        waiting, at_s = ~runs(history), history.begin_s
        log_s = wait_quantiles(futures.starts(tell=tell)[:, waiting], at_s)
        names = history.details["slurm_id"].to_list()
        jobs = np.flatnonzero(waiting)
        numbers = [self._numbers.setdefault(names[at], len(self._numbers)) for at in jobs]
        self._calibration.told(int(at_s), np.array(numbers, np.int32), log_s)
        workload = history.workload
        return StartForecast(
            int(at_s),
            jobs.astype(np.int32),
            workload["job_id"][jobs],
            workload["submit_s"][jobs],
            workload["nodes"][jobs],
            at_s + np.expm1(self._calibration.moved(log_s)),
            self.forks,
        )


def runs(history: SlurmHistory) -> NDArray[np.bool_]:
    """Return whether each job runs when the history begins."""
    found: NDArray[np.bool_] = history.details["ran_before"].fill_null(value=False).to_numpy()
    return found


def start_times(history: SlurmHistory) -> NDArray[np.float64]:
    """Return when each job started; for the others, when the history begins."""
    started = history.details["start_s"].cast(float)
    return started.fill_null(history.begin_s).to_numpy()
