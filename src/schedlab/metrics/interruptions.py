"""How often jobs are interrupted, and what they lose by it."""

from __future__ import annotations

import numpy as np

from schedlab.metrics.capacity import node_seconds
from schedlab.metrics.metric import Values
from schedlab.sim import Schedule


def interruptions(schedule: Schedule) -> Values:
    """How often a job is interrupted, by an outage, a failure or another job.

    The number of its attempts that did not end by themselves; 0 if there are none.
    """
    if schedule.attempts is None:
        return np.zeros(len(schedule))
    return schedule.attempts.interruptions(len(schedule)).astype(float)


def lost_work(schedule: Schedule) -> float:
    """Share of the used node-seconds that was lost or had to be repeated.

    Σ n·l / Σ n·r, with l the work that a job lost, r the time it held its nodes in all attempts,
    and n its nodes.
    """
    used = node_seconds(schedule)
    if not used.sum():
        return float("nan")
    if schedule.attempts is None:
        return 0.0
    lost = schedule.attempts.lost_of(len(schedule)) / np.maximum(schedule.ran_s, 1)
    return float((lost * used).sum() / used.sum())
