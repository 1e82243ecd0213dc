"""Quantiles of past run times: of all jobs, of a class, of the nearest jobs."""

from __future__ import annotations

import math

import numpy as np

from schedlab.errors import PolicyError
from schedlab.predict.quantile_predictor import KnownJob, QuantilePredictor
from schedlab.predict.run_times import LEVELS, Numbers

_INNER = LEVELS[1:-1]


class Ring:
    """The last rows that were added, each with its age; the age of the last one is 0."""

    def __init__(self, length: int, columns: int) -> None:
        self._rows = np.empty((length, columns))
        self.added = 0

    def add(self, row: tuple[float, ...]) -> None:
        """Add a row, and forget the oldest one if there is no room."""
        self._rows[self.added % len(self._rows)] = row
        self.added += 1

    def rows(self) -> Numbers:
        """Return the rows, in no order."""
        return self._rows[: self.added]

    def ages(self) -> Numbers:
        """Return for each row the number of rows that were added after it."""
        later: Numbers = self.added - 1 - np.arange(len(self.rows()), dtype=np.float64)
        return later % len(self._rows)


class Past(QuantilePredictor):
    """The quantiles of all run times so far, which do not depend on the job."""

    def __init__(self, *, calibrate: bool = False) -> None:
        super().__init__(calibrate=calibrate)

    def forget(self) -> None:
        """Forget all run times."""
        self._log_s = np.empty(1024)
        self._count = 0
        self._counted = 0  # when the quantiles were computed
        self._quantiles = _INNER

    def estimate(self, job: KnownJob) -> Numbers:
        """Return the quantiles, computed again when the run times are a hundredth more."""
        if self._count == 0:
            return np.full(len(_INNER), np.log1p(job.request_s))
        if self._count - self._counted > self._count // 100:
            self._quantiles = np.quantile(self._log_s[: self._count], _INNER)
            self._counted = self._count
        return self._quantiles

    def note(self, job: KnownJob, run_s: int) -> None:
        """Add the run time."""
        if self._count == len(self._log_s):
            self._log_s = np.concatenate([self._log_s, np.empty(self._count)])
        self._log_s[self._count] = math.log1p(run_s)
        self._count += 1


class SimilarJobs(QuantilePredictor):
    """Quantiles of the user's past run times, weighted by how similar and how recent the jobs are.

    Jobs of all users count too, together as much as one identical job: they are all that is known
    of a new user, and they limit the influence of a user's first few jobs.
    """

    memory = 100
    """How many of the last jobs of each user count."""
    half_life = 10.0
    """The number of later jobs of the same user that halve a job's weight."""
    everybody = 500
    """How many of the last jobs of all users count."""

    def forget(self) -> None:
        """Forget all jobs."""
        self._users: dict[int, Ring] = {}
        self._all = Ring(self.everybody, 3)

    def likeness(self, jobs: Numbers, log_request: float, log_nodes: float) -> Numbers:
        """Return weights from 0 to 1; the columns are log request and log nodes."""
        raise PolicyError(f"{type(self).__name__} must define likeness(self, jobs, ...)")

    def estimate(self, job: KnownJob) -> Numbers:
        """Return the weighted quantiles; the request before the first job has ended."""
        log_request, log_nodes = math.log1p(job.request_s), math.log(max(job.nodes, 1))
        if self._all.added == 0:
            return np.full(len(_INNER), log_request)
        every = self._all.rows()
        weights = self.likeness(every, log_request, log_nodes) + 1e-6
        weights /= weights.sum()
        log_s = every[:, 2]
        if job.user in self._users:
            ring = self._users[job.user]
            own = self.likeness(ring.rows(), log_request, log_nodes)
            own = own * 0.5 ** (ring.ages() / self.half_life) + 1e-4
            log_s = np.concatenate([ring.rows()[:, 2], log_s])
            weights = np.concatenate([own, weights])
        return weighted_quantiles(log_s, weights)

    def note(self, job: KnownJob, run_s: int) -> None:
        """Add the job to its user's jobs and to the jobs of all users."""
        row = (math.log1p(job.request_s), math.log(max(job.nodes, 1)), math.log1p(run_s))
        if job.user not in self._users:
            self._users[job.user] = Ring(self.memory, 3)
        self._users[job.user].add(row)
        self._all.add(row)


class ClassQuantiles(SimilarJobs):
    """Quantiles of jobs with the same request and nodes; if only the request is, half as much."""

    def likeness(self, jobs: Numbers, log_request: float, log_nodes: float) -> Numbers:
        """Return 1 in the same class, 0.5 with the same request, else 0."""
        same_request, same_nodes = jobs[:, 0] == log_request, jobs[:, 1] == log_nodes
        return np.where(same_request, np.where(same_nodes, 1.0, 0.5), 0.0)


class NearestQuantiles(SimilarJobs):
    """Quantiles in which a job weighs more, the nearer it is in log request and log nodes."""

    distance = 0.35
    """The standard deviation of the bell curve: the distance of a request 1.4 times as long."""

    def likeness(self, jobs: Numbers, log_request: float, log_nodes: float) -> Numbers:
        """Return the bell curve of the distance."""
        square = (jobs[:, 0] - log_request) ** 2 + (jobs[:, 1] - log_nodes) ** 2
        bell: Numbers = np.exp(-square / (2 * self.distance**2))
        return bell


def weighted_quantiles(values: Numbers, weights: Numbers) -> Numbers:
    """Return the quantiles at the inner levels; each value stands in the middle of its weight."""
    order = np.argsort(values, kind="stable")
    weights = weights[order]
    upto = np.cumsum(weights)
    return np.interp(_INNER, (upto - weights / 2) / upto[-1], values[order])
