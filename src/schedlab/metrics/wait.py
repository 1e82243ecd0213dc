"""How long jobs waited, also relative to how long they ran."""

from __future__ import annotations

import numpy as np

from schedlab.metrics.metric import Values
from schedlab.sim import Schedule


def wait(schedule: Schedule) -> Values:
    """Time a job waits in the queue.

    w = start − eligible, where a job is eligible from its submission or, if it depends on
    another, from that job's end.
    """
    return schedule.wait_s.astype(float)


def response(schedule: Schedule) -> Values:
    """Time from entering the queue to the end, also called turnaround or flow time.

    w + r, with r the time the job ran.
    """
    return (schedule.wait_s + schedule.ran_s).astype(float)


def wait_per_node(schedule: Schedule) -> Values:
    """Wait divided by the nodes the job asked for.

    w / n: wide jobs may wait longer.
    """
    return schedule.wait_s / schedule.workload["nodes"]


def delay(schedule: Schedule) -> Values:
    """How much later than first promised a job starts.

    max(0, start − promised), with the start of its first attempt; a job that was never promised a
    start is left out.
    """
    attempts = schedule.attempts
    start_s = schedule.start_s
    if attempts is not None:
        first = attempts.number == 1
        start_s = start_s.copy()
        start_s[attempts.job[first]] = attempts.start_s[first]
    late = np.maximum(start_s - schedule.first_reserved_s, 0)
    return np.where(schedule.first_reserved_s >= 0, late, np.nan)


BOUND_S = 10
"""Run times below this bound are taken as equal to it in the bounded slowdown."""


def slowdown(schedule: Schedule) -> Values:
    """Response time over run time.

    (w + r) / r, with w the wait and r the time the job ran. Clocks count whole seconds: a job that
    ran for 0 s is taken to have run for 1 s.
    """
    ran = np.maximum(schedule.ran_s, 1)
    return (schedule.wait_s + ran) / np.maximum(schedule.worked_s, 1)


def bounded_slowdown(schedule: Schedule) -> Values:
    """Slowdown in which jobs shorter than 10 s do not dominate.

    max(1, (w + r) / max(r, τ)) with τ = 10 s (Feitelson et al., "Theory and practice in parallel
    job scheduling", JSSPP 1997).
    """
    taken = schedule.wait_s + schedule.ran_s
    return np.maximum(taken / np.maximum(schedule.worked_s, BOUND_S), 1.0)
