"""The orders of the queue: the job with the smallest key is served first.

Formulas with a paper are written in its order of operations, so that the last bit agrees
wherever they are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from schedlab.testing.reference.job import Job

Order = Callable[[Job, int], float]


def wfp3(job: Job, now: int) -> float:
    """Prefer jobs that are wide, short, or have waited long; Tang et al. 2009."""
    x = (now - job.eligible_s) / job.estimate_s
    return -(x * x * x * job.nodes)


def unicef(job: Job, now: int) -> float:
    """Serve one-node jobs first, then small ones and long-waiting ones; Tang et al. 2009."""
    if job.nodes == 1:
        return -math.inf
    return -(now - job.eligible_s) / (math.log2(job.nodes) * job.estimate_s)


def f1(job: Job, now: int) -> float:
    """Return the first learned formula of Carastan-Santos and de Camargo, SC 2017."""
    return math.log10(job.estimate_s) * job.nodes + 870 * math.log10(max(job.submit_s, 1))


def f2(job: Job, now: int) -> float:
    """Return the second learned formula of Carastan-Santos and de Camargo, SC 2017."""
    return math.sqrt(job.estimate_s) * job.nodes + 25600 * math.log10(max(job.submit_s, 1))


def f3(job: Job, now: int) -> float:
    """Return the third learned formula of Carastan-Santos and de Camargo, SC 2017."""
    return job.estimate_s * job.nodes + 6860000 * math.log10(max(job.submit_s, 1))


def f4(job: Job, now: int) -> float:
    """Return the fourth learned formula of Carastan-Santos and de Camargo, SC 2017."""
    return job.estimate_s * math.sqrt(job.nodes) + 530000 * math.log10(max(job.submit_s, 1))


ORDERS: dict[str, Order] = {
    "fcfs": lambda job, now: 0,
    "lcfs": lambda job, now: -job.arrival,
    "sjf": lambda job, now: job.estimate_s,
    "ljf": lambda job, now: -job.estimate_s,
    "saf": lambda job, now: job.estimate_s * job.nodes,
    "laf": lambda job, now: -job.estimate_s * job.nodes,
    "snf": lambda job, now: job.nodes,
    "lnf": lambda job, now: -job.nodes,
    "wfp3": wfp3,
    "unicef": unicef,
    "f1": f1,
    "f2": f2,
    "f3": f3,
    "f4": f4,
    "wrsa": lambda job, now: -job.submitter.wrsa,
}


def aged_wrsa(ageing_s: float) -> Order:
    """Return the order by WRSA in which a wait of ``ageing_s`` weighs as much as full accuracy."""
    return lambda job, now: job.eligible_s / ageing_s - job.submitter.wrsa
