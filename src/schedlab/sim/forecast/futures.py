"""What may happen from now on: drawn run times, and jobs that arrive as in past weeks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.predict import QuantilePredictor, RunTimes
from schedlab.sim.imagined import Arrivals
from schedlab.workload import Workload

DAY_S, WEEK_S = 86_400, 7 * 86_400
WEEKS = 8
"""Number of past weeks; the arrivals of a future are those of one of them."""
ALIKE = 0.5
"""How strongly the run times of similar jobs of one user are correlated."""
RECENT = 20_000
"""Number of jobs that a predictor learns from before its first forecast: those that ended last."""
Times = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ForecastJob:
    """What is known of a job before it ends."""

    job: int
    nodes: int
    request_s: int
    submit_s: int
    user: int


class RunTimeDraws:
    """Draws the run times of unfinished jobs from those of their users' earlier jobs.

    Args:
        workload: the jobs.
        predictor: gives the distributions.
    """

    def __init__(self, workload: Workload, predictor: QuantilePredictor) -> None:
        names = ("nodes", "request_s", "submit_s", "run_s")
        self._columns = [workload[name] for name in names]
        self._users = workload["user"] if "user" in workload.columns else None
        self._predictor = predictor
        self._known = np.zeros(len(workload), dtype=bool)

    def learn(self, end_s: Times) -> None:
        """Learn from the jobs that have ended since the last call; -1 is a job that has not."""
        fresh = np.flatnonzero((end_s >= 0) & ~self._known)
        self._known[fresh] = True
        places = fresh[np.argsort(end_s[fresh], kind="stable")][-RECENT:].tolist()
        jobs = [self._job(at) for at in places]
        self._predictor.note_all(jobs, [int(self._columns[3][at]) for at in places])

    def draw(self, jobs: _core.Unfinished, levels: NDArray[np.float64]) -> Times:
        """Return a row of run times for each future.

        Args:
            jobs: the unfinished jobs.
            levels: a row of uniform random numbers for each job, one per future.
        """
        drawn = self.distributions(jobs.job).quantiles(levels, jobs.elapsed_s)
        runs: Times = np.maximum(np.rint(drawn.T).astype(np.int64), jobs.least_run_s)
        return runs

    def distributions(self, places: NDArray[np.integer]) -> RunTimes:
        """Return the distributions of the run times of the jobs at these places, as of now."""
        return self._predictor.run_times([self._job(int(at)) for at in places])

    def _job(self, at: int) -> ForecastJob:
        nodes, request_s, submit_s, _ = (int(column[at]) for column in self._columns)
        user = -1 if self._users is None else int(self._users[at])
        return ForecastJob(at, nodes, request_s, submit_s, user)


def drawn_levels(
    kinds: NDArray[np.integer], forks: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return at which levels of their distributions jobs end: a row per job.

    Jobs of one user that ask for the same are short or long together: a Gaussian copula.

    Args:
        kinds: a row per job: its user, and what it asks for.
        forks: number of levels for each job.
        rng: draws the levels.
    """
    _, kind = np.unique(kinds, axis=0, return_inverse=True)
    shared = rng.standard_normal((int(kind.max(initial=-1)) + 1, forks))[kind.ravel()]
    own = rng.standard_normal((len(kinds), forks))
    together = np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * own
    return normal_cdf(together)


def normal_cdf(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard normal distribution function (Abramowitz & Stegun, 26.2.17)."""
    t = 1 / (1 + 0.2316419 * np.abs(values))
    poly = t * (
        0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    upper = np.exp(-(values**2) / 2) / np.sqrt(2 * np.pi) * poly
    found: NDArray[np.float64] = np.where(values > 0, 1 - upper, upper)
    return found


class PastArrivals:
    """Draws jobs that arrive as they did in the same hours of past weeks."""

    def __init__(self, workload: Workload) -> None:
        self._submit_s = workload["submit_s"]
        self._run_s = workload["run_s"]
        self._first_s = int(self._submit_s[0]) if len(workload) else 0

    def draw(
        self,
        now_s: int,
        horizon_s: int,
        jobs: _core.Unfinished,
        runs: Times,
        rng: np.random.Generator,
    ) -> list[Arrivals]:
        """Return the jobs that arrive in each future.

        Args:
            now_s: the present time.
            horizon_s: for how long jobs arrive.
            jobs: the unfinished jobs, whose run times are unknown.
            runs: their run times in each future.
            rng: chooses the weeks.
        """
        backs = self._backs(now_s)
        if not len(backs):
            empty = np.empty(0, dtype=np.int64)
            return [Arrivals(empty, empty, empty) for _ in runs]
        place = np.full(len(self._submit_s), -1)  # among the unfinished
        place[jobs.job] = np.arange(len(jobs))
        found = []
        for future, back_s in zip(runs, rng.choice(backs, len(runs)), strict=True):
            first, last = np.searchsorted(
                self._submit_s, [now_s - back_s + 1, min(now_s - back_s + horizon_s, now_s) + 1]
            )
            like, there = np.arange(first, last), place[first:last]
            run_s = self._run_s[first:last].copy()
            run_s[there >= 0] = future[there[there >= 0]]
            found.append(Arrivals(like, self._submit_s[first:last] + back_s, run_s))
        return found

    def _backs(self, now_s: int) -> Times:
        """Return how far back the same hours were: weeks, or days in the first two weeks."""
        weeks = min((now_s - self._first_s) // WEEK_S, WEEKS)
        if weeks >= 2:
            return np.arange(1, weeks + 1) * WEEK_S
        days = (now_s - self._first_s) // DAY_S
        return np.arange(1, days + 1) * DAY_S
