"""Small schedules to draw."""

from __future__ import annotations

import numpy as np
import pytest

from schedlab.platform import Platform
from schedlab.sim import Schedule, simulate
from schedlab.workload import Workload


@pytest.fixture(scope="session")
def few() -> list[Schedule]:
    """Four jobs on eight nodes under two policies; job 3 is as wide as the machine."""
    workload = Workload(
        {
            "job_id": [1, 2, 3, 4],
            "submit_s": [0, 0, 100, 200],
            "nodes": [4, 1, 8, 2],
            "request_s": [3600, 7200, 1800, 600],
            "run_s": [3600, 7200, 1800, 600],
            "user": [0, 1, 1, 2],
        },
        name="four",
        labels={"user": ["ann", "bob", "<eve>"]},
        provenance=[{"step": "generate", "seed": 42}],
    )
    return [simulate(workload, 8, policy, seed=42) for policy in ("fcfs", "easy")]


@pytest.fixture(scope="session")
def many() -> list[Schedule]:
    """Ten thousand jobs on 64 nodes: more than can be drawn one by one."""
    rng = np.random.default_rng(3)
    count = 10_000
    run_s = rng.integers(1, 2000, count)
    workload = Workload(
        {
            "job_id": range(count),
            "submit_s": np.sort(rng.integers(0, 1_500_000, count)),
            "nodes": 2 ** rng.integers(0, 5, count),
            "request_s": run_s * 2,
            "run_s": run_s,
            "user": rng.integers(0, 20, count),
        },
        name="many",
    )
    return [simulate(workload, 64, policy) for policy in ("easy", "sjf")]


@pytest.fixture(scope="session")
def empty() -> Schedule:
    """No job at all."""
    columns: dict[str, list[int]] = {
        name: [] for name in ("job_id", "submit_s", "nodes", "request_s", "run_s")
    }
    return simulate(Workload(columns), Platform.homogeneous(4), "fcfs")
