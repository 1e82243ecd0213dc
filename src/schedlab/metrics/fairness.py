"""How evenly users were treated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from schedlab.metrics.slowdown import bounded_slowdown
from schedlab.sim import Schedule


def fairness(schedule: Schedule) -> float:
    """Jain's index of the users' mean bounded slowdowns.

    (Σ x)² / (u · Σ x²), with x the mean bounded slowdown of each of u users: 1 if all fare alike,
    1/u if one user bears everything (Jain, Chiu and Hawe, DEC-TR-301, 1984).
    """
    ran = schedule.started
    _, user = np.unique(schedule.workload["user"][ran], return_inverse=True)
    totals = np.bincount(user, weights=bounded_slowdown(schedule)[ran])
    return jain_index(totals / np.bincount(user))


def jain_index(values: ArrayLike) -> float:
    """Jain's index of fairness, (Σ x)² / (n · Σ x²); 1 if all are 0, NaN if there are none."""
    x = np.asarray(values, dtype=float)
    if not x.any():
        return 1.0 if len(x) else float("nan")
    # Scaling first keeps the squares of very large or very small values finite.
    x = x / np.abs(x).max()
    return float(x.sum() ** 2 / (len(x) * np.dot(x, x)))
