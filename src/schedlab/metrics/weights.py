"""Weights of means in which each job, each node-second or each user counts the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import UnknownNameError
from schedlab.sim import Schedule

Values = NDArray[np.float64]


def _each_job(schedule: Schedule) -> Values:
    """Count every job the same."""
    return np.ones(len(schedule))


def _each_node_second(schedule: Schedule) -> Values:
    """Weight each job by the node-seconds it used."""
    return (schedule.workload["nodes"] * schedule.ran_s).astype(float)


def _each_user(schedule: Schedule) -> Values:
    """Count every user the same, however many jobs ran for them."""
    started = schedule.started
    _, user = np.unique(schedule.workload["user"], return_inverse=True)
    jobs = np.bincount(user[started], minlength=user.max(initial=-1) + 1)
    return np.where(started, 1.0 / np.maximum(jobs[user], 1), 0.0)


WEIGHTS: dict[str, Callable[[Schedule], Values]] = {
    "job": _each_job,
    "node_second": _each_node_second,
    "user": _each_user,
}


def job_weights(schedule: Schedule, weight: str) -> Values:
    """Return the weight of each job, under a name in ``WEIGHTS``."""
    if weight not in WEIGHTS:
        raise UnknownNameError("weight", weight, WEIGHTS)
    return WEIGHTS[weight](schedule)
