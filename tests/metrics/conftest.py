"""Tiny schedules whose metrics can be worked out by hand."""

from __future__ import annotations

import pytest

from schedlab.platform import NodePower, Platform
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload


@pytest.fixture
def three_jobs() -> Workload:
    """A job on half of four nodes, one on all of them, and a small one that comes last."""
    return Workload(
        {
            "job_id": [1, 2, 3],
            "submit_s": [0, 0, 10],
            "nodes": [2, 4, 1],
            "request_s": [100, 50, 20],
            "run_s": [100, 50, 20],
            "user": [0, 1, 0],
        },
        labels={"user": ["ann", "bob"]},
    )


@pytest.fixture
def in_turn(three_jobs: Workload) -> Schedule:
    """First come, first served: the jobs run at 0..100, 100..150 and 150..170."""
    power = NodePower(idle_w=100, busy_w=300)
    return simulate(three_jobs, Platform.homogeneous(4, power=power), "fcfs")


@pytest.fixture
def one_cancelled(three_jobs: Workload) -> Schedule:
    """The same, but the wide job is withdrawn after 30 s, so the last starts at 30."""
    return simulate(three_jobs.replace(cancel_after_s=[-1, 30, -1]), 4, "fcfs")


@pytest.fixture
def empty() -> Schedule:
    """No job at all."""
    columns: dict[str, list[int]] = {
        name: [] for name in ("job_id", "submit_s", "nodes", "request_s", "run_s")
    }
    return simulate(Workload(columns), 4, "fcfs")
