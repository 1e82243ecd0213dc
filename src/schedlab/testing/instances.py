"""Tiny named workloads that each show one point, for tests and drawings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from schedlab.workload import Workload


def jobs(*rows: tuple[int, int, int, int], name: str = "by hand", **columns: ArrayLike) -> Workload:
    """Return jobs 1, 2, ... from rows of submission time, nodes, requested and actual run time.

    ``columns`` adds others, such as ``depends_on=[-1, 1]``.
    """
    submit_s, nodes, request_s, run_s = zip(*rows, strict=True)
    required = {
        "job_id": range(1, len(rows) + 1),
        "submit_s": submit_s,
        "nodes": nodes,
        "request_s": request_s,
        "run_s": run_s,
    }
    return Workload({**required, **columns}, name=name)


def head_blocked() -> Workload:
    """Return a job that runs, one too wide to start, one too long to overtake, one short enough."""
    return jobs((0, 2, 6, 6), (0, 4, 3, 3), (0, 1, 7, 7), (0, 2, 5, 5), name="head blocked")


def second_in_queue_at_risk() -> Workload:
    """Return jobs of which the last fits on a node that the head can spare, but not the second."""
    return jobs((0, 3, 4, 4), (0, 2, 4, 4), (0, 2, 4, 4), (0, 1, 6, 6), name="second at risk")


def two_candidates() -> Workload:
    """Return jobs of which either of two fits before the head, but not both."""
    return jobs((0, 2, 10, 10), (0, 4, 2, 2), (0, 2, 8, 8), (0, 2, 3, 3), name="two candidates")


def early_end() -> Workload:
    """Return a job that asks for 10 s and ends after 4, and two that wait for the whole machine."""
    return jobs((0, 1, 10, 4), (0, 2, 2, 2), (0, 2, 3, 3), name="early end")


def killed() -> Workload:
    """Return jobs of which one asks for less time than it needs and is killed."""
    return jobs((0, 1, 4, 9), (0, 1, 2, 2), name="killed")


def no_length() -> Workload:
    """Return two jobs that end as they start, the second after the first, and another job."""
    return jobs((0, 2, 2, 0), (0, 2, 2, 0), (0, 2, 3, 3), depends_on=[-1, 1, -1], name="no length")


def withdrawn() -> Workload:
    """Return jobs of which the head is withdrawn; another job depends on it."""
    return jobs(
        (0, 1, 4, 4),
        (0, 2, 2, 2),
        (0, 1, 2, 2),
        depends_on=[-1, -1, 2],
        think_time_s=[-1, -1, 1],
        cancel_after_s=[-1, 2, -1],
        name="withdrawn",
    )


def crowd(count: int = 40, seed: int = 1) -> Workload:
    """Return jobs of all sizes, with about as much work as sixteen nodes can do."""
    draw = np.random.default_rng(seed)
    request_s = draw.integers(1, 200, count)
    return Workload(
        {
            "job_id": np.arange(1, count + 1),
            "submit_s": np.sort(draw.integers(0, 20 * count, count)),
            "nodes": 2 ** draw.integers(0, 5, count),
            "request_s": request_s,
            "run_s": np.ceil(request_s * draw.random(count)),
            "user": draw.integers(0, 4, count),
        },
        name="crowd",
    )


def small_workloads() -> list[Workload]:
    """Return all workloads of this module."""
    return [
        head_blocked(),
        second_in_queue_at_risk(),
        two_candidates(),
        early_end(),
        killed(),
        no_length(),
        withdrawn(),
        crowd(),
    ]
