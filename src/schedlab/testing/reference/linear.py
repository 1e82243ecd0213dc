"""Linear orders: a weighted sum of features of a job and of the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log10

from schedlab.testing.reference.easy import shadow
from schedlab.testing.reference.job import Job
from schedlab.testing.reference.orders import Order
from schedlab.testing.reference.simulation import ReferenceSimulation


def linear(weights: Mapping[str, float], sim: ReferenceSimulation) -> Order:
    """Return the order by smallest sum, added up in the order of the features."""
    weighted = [(weights[name], of) for name, of in FEATURES.items() if name in weights]

    def score(job: Job, now: int) -> float:
        total = 0.0
        for weight, feature in weighted:
            total += weight * feature(job, sim)
        return total

    return score


def wait_s(job: Job, sim: ReferenceSimulation) -> int:
    """Return how long the job has waited."""
    return sim.now - job.eligible_s


def start_in_s(job: Job, sim: ReferenceSimulation) -> int:
    """Return how long the job still waits, if it is next and running jobs end as expected."""
    return 0 if sim.fits(job) else shadow(sim, job)[0] - sim.now


FEATURES: dict[str, Callable[[Job, ReferenceSimulation], float]] = {
    "log_request": lambda job, sim: log10(job.request_s),
    "log_estimate": lambda job, sim: log10(job.estimate_s),
    "log_nodes": lambda job, sim: log10(job.nodes),
    "share": lambda job, sim: job.nodes / sim.machine.nodes,
    "log_wait": lambda job, sim: log10(1 + wait_s(job, sim)),
    "log_slowdown": lambda job, sim: log10(1 + wait_s(job, sim) / job.estimate_s),
    "log_start_in": lambda job, sim: log10(1 + start_in_s(job, sim)),
}
"""The features of a waiting job that a linear order can weigh."""
