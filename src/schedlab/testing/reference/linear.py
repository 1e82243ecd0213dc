"""Linear orders: a weighted sum of what is known of a job and of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10

from schedlab.testing.reference.easy import shadow
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.orders import Order
from schedlab.testing.reference.simulation import Simulation


def linear(weights: Mapping[str, float], sim: Simulation) -> Order:
    """The smallest sum first, added up in the order of the features."""

    def score(job: Job, now: int) -> float:
        total = 0.0
        for name, value in features(job, sim).items():
            total += weights.get(name, 0.0) * value
        return total

    return score


def features(job: Job, sim: Simulation) -> dict[str, float]:
    """What a linear order knows of a waiting job."""
    wait_s = sim.now - job.eligible_s
    start_in_s = shadow(sim, job)[0] - sim.now if not sim.fits(job) else 0
    return {
        "log_request": log10(job.request_s),
        "log_estimate": log10(job.estimate_s),
        "log_nodes": log10(job.nodes),
        "share": job.nodes / sim.machine.nodes,
        "log_wait": log10(1 + wait_s),
        "log_slowdown": log10(1 + wait_s / job.estimate_s),
        "log_start_in": log10(1 + start_in_s),
    }
