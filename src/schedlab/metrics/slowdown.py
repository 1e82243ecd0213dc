"""How much longer jobs took than on an empty machine."""

from __future__ import annotations

import numpy as np

from schedlab.metrics.metric import Values
from schedlab.sim import Schedule

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
