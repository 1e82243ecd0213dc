"""How long a forecast takes where many jobs wait."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.table import Row
from schedlab import Workload
from schedlab.sim import Forecaster, Simulation

WAITING, FORKS = 10_000, 100


def forecasts() -> list[Row]:
    """Measure a forecast of 10,000 waiting jobs, 100 futures, the best of three."""
    simulation = crowded()
    waiting = int(simulation.unfinished().is_waiting.sum())
    best = {}
    for arrivals in (False, True):
        best[arrivals] = min(_seconds(simulation, arrivals=arrivals) for _ in range(3))
    name = f"forecast, {waiting:,} waiting jobs, {FORKS} futures"
    return [
        Row(f"{name}, no arrivals", best[False], "s", 2.0),
        Row(f"{name}, with arrivals", best[True], "s", 2.0),
    ]


def crowded() -> Simulation:
    """Return a machine of 1,024 nodes whose queue has grown to some 10,000 jobs of 100 users."""
    rng = np.random.default_rng(0)
    jobs = 22_000
    request = rng.choice([600, 1800, 3600, 7200, 14_400, 43_200, 86_400], jobs)
    workload = Workload(
        {
            "job_id": np.arange(1, jobs + 1),
            "submit_s": np.sort(rng.integers(0, 200_000, jobs)),
            "nodes": rng.choice([1, 2, 4, 8, 16, 32, 64], jobs),
            "request_s": request,
            "run_s": np.maximum(1, (request * rng.uniform(0.05, 1, jobs)).astype(np.int64)),
            "user": rng.integers(0, 100, jobs),
        }
    )
    return Simulation(workload, 1024, "easy").run(100_000)


def _seconds(simulation: Simulation, *, arrivals: bool) -> float:
    forecaster = Forecaster(simulation, forks=FORKS, arrivals=arrivals)
    began = time.perf_counter()
    forecaster.forecast()
    return time.perf_counter() - began
