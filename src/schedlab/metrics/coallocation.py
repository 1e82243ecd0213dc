"""Metrics of jobs that need nodes of several clusters at the same time."""

from __future__ import annotations

import numpy as np

from schedlab.metrics.groupings import groups_of
from schedlab.metrics.metric import Values
from schedlab.metrics.wait import bounded_slowdown, wait
from schedlab.sim import Schedule


def coallocated_wait(schedule: Schedule) -> Values:
    """Wait of jobs that need nodes of several clusters at the same time.

    w = start − eligible; the other jobs are left out.
    """
    return _of_coallocated(schedule, wait(schedule))


def coallocated_bounded_slowdown(schedule: Schedule) -> Values:
    """Bounded slowdown of jobs that need nodes of several clusters at the same time.

    max(1, (w + r) / max(r, τ)) with τ = 10 s; the other jobs are left out.
    """
    return _of_coallocated(schedule, bounded_slowdown(schedule))


def _of_coallocated(schedule: Schedule, values: Values) -> Values:
    return np.where(groups_of(schedule, "clusters")[0] > 1, values, np.nan)
