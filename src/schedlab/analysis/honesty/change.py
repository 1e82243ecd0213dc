"""The effect of changed requests on their user, and on all other users."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics import find_job_metric
from schedlab.sim import Schedule

Row = dict[str, Any]

MEASURES = {"wait": "_s", "bounded_slowdown": "", "slowdown": ""}
"""The compared metrics, of which less is better, and the endings of their column names."""


def measure_change(before: Schedule, after: Schedule, treatment: str, user: int) -> Row:
    """Return one user's means in two schedules of the same jobs, and the change of others' wait.

    Means are over the jobs that run in both schedules; NaN if there are none.
    """
    ran, mine = before.started & after.started, before.workload["user"] == user
    row = {
        "policy": before.policy,
        "treatment": treatment,
        "user": str(before.workload.labelled("user")[mine][0]),
        "jobs": int(np.count_nonzero(ran & mine)),
    }
    for metric, unit in MEASURES.items():
        own = _mean(before, metric, ran & mine), _mean(after, metric, ran & mine)
        row |= {
            f"{metric}_before{unit}": own[0],
            f"{metric}_after{unit}": own[1],
            f"{metric}_change{unit}": own[1] - own[0],
        }
    others = _mean(before, "wait", ran & ~mine), _mean(after, "wait", ran & ~mine)
    return {**row, "others_wait_change_s": others[1] - others[0]}


def _mean(schedule: Schedule, metric: str, which: NDArray[np.bool_]) -> float:
    values = find_job_metric(metric).of_jobs(schedule)[which]
    return float(values.mean()) if len(values) else float("nan")
