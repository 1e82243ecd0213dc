"""Plain versions of the predictors of run times."""

from __future__ import annotations

import math
from typing import Protocol

from schedlab.testing.reference.job import Job

Vector = list[float]


class ReferencePredictor(Protocol):
    """Says how long a job will run, in seconds, and learns from those that have ended."""

    def predict(self, job: Job) -> float:
        """Return the predicted run time; called when the job becomes eligible."""

    def learn(self, job: Job, run_s: int) -> None:
        """Learn that the job has ended."""


class Request:
    """Predicts what the user asked for."""

    def predict(self, job: Job) -> float:
        """Return the request."""
        return job.request_s

    def learn(self, job: Job, run_s: int) -> None:
        """Learn nothing."""


class Actual(Request):
    """Predicts the actual run time."""

    def predict(self, job: Job) -> float:
        """Return the run time."""
        return job.run_s


class LastTwo:
    """Predicts the mean of the user's last two run times."""

    def __init__(self) -> None:
        self.runs_s: dict[int, list[int]] = {}

    def predict(self, job: Job) -> float:
        """Return the mean, or the request if none of the user's jobs has ended."""
        last_two = self.runs_s.get(job.submitter.code, [job.request_s])[-2:]
        return sum(last_two) / len(last_two)

    def learn(self, job: Job, run_s: int) -> None:
        """Remember all run times."""
        self.runs_s.setdefault(job.submitter.code, []).append(run_s)


class ClassMean:
    """Predicts the mean run time of the ended jobs that are most like the job."""

    def __init__(self) -> None:
        self.ended: list[tuple[Job, int]] = []

    def predict(self, job: Job) -> float:
        """Average jobs of the same user, request and nodes, else user and request, else user."""
        same_user = [each for each in self.ended if each[0].submitter is job.submitter]
        same_request = [each for each in same_user if each[0].request_s == job.request_s]
        same_nodes = [each for each in same_request if each[0].nodes == job.nodes]
        for alike in (same_nodes, same_request, same_user):
            if alike:
                return sum(run_s for _, run_s in alike) / len(alike)
        return job.request_s

    def learn(self, job: Job, run_s: int) -> None:
        """Remember all run times."""
        self.ended.append((job, run_s))


class Nearest:
    """Predicts the mean run time of the three nearest of the user's last hundred ended jobs."""

    def __init__(self) -> None:
        self.ended: list[tuple[Job, int]] = []

    def predict(self, job: Job) -> float:
        """Compare logarithms of request and nodes; of equally near jobs take the latest."""
        same_user = [each for each in self.ended if each[0].submitter is job.submitter]
        latest_first = same_user[-100:][::-1]
        nearest = sorted(latest_first, key=lambda each: _squared_distance(each[0], job))[:3]
        if not nearest:
            return job.request_s
        return sum(run_s for _, run_s in nearest) / len(nearest)

    def learn(self, job: Job, run_s: int) -> None:
        """Remember all run times."""
        self.ended.append((job, run_s))


class Regression:
    """Predicts by recursive least squares with a ridge of 1, beginning at the request.

    Sums go from the first feature to the last, so that they are rounded the same everywhere.
    """

    def __init__(self) -> None:
        self.weights: Vector = [0, 1, 0, 0, 0, 0]
        self.inverse = [[float(row == column) for column in range(6)] for row in range(6)]
        self.users: dict[int, tuple[float, float, float]] = {}
        self.features: dict[Job, Vector] = {}

    def predict(self, job: Job) -> float:
        """Return the exponential of a weighted sum."""
        request, nodes = math.log(1.0 + job.request_s), math.log(job.nodes)
        x = [1.0, request, nodes, 0.0, 0.0, 0.0]
        if job.submitter.code in self.users:
            last, recent, share = self.users[job.submitter.code]
            x[3:] = [last - request, recent - request, share]
        self.features[job] = x
        return max(0.0, math.exp(_dot(self.weights, x)) - 1)

    def learn(self, job: Job, run_s: int) -> None:
        """Move the weights towards what happened."""
        x, target = self.features[job], math.log(1.0 + run_s)
        moved = [_dot(row, x) for row in self.inverse]
        scale, error = 1 + _dot(x, moved), target - _dot(self.weights, x)
        self.weights = [
            weight + error * step / scale for weight, step in zip(self.weights, moved, strict=True)
        ]
        self.inverse = [
            [value - step * other / scale for value, other in zip(row, moved, strict=True)]
            for row, step in zip(self.inverse, moved, strict=True)
        ]
        share = target - math.log(1.0 + job.request_s)
        _, recent, shares = self.users.get(job.submitter.code, (target, target, share))
        new = 0.5 * recent + 0.5 * target, 0.5 * shares + 0.5 * share
        self.users[job.submitter.code] = (target, *new)


def _squared_distance(one: Job, other: Job) -> float:
    request = math.log(one.request_s) - math.log(other.request_s)
    nodes = math.log(one.nodes) - math.log(other.nodes)
    return request * request + nodes * nodes


def _dot(one: Vector, other: Vector) -> float:
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += a * b
    return total


PREDICTORS: dict[str, type[ReferencePredictor]] = {
    "request": Request,
    "actual": Actual,
    "last-two": LastTwo,
    "class-mean": ClassMean,
    "nearest": Nearest,
    "regression": Regression,
}
