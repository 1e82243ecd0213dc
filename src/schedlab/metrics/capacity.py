"""How well the machine was used."""

from __future__ import annotations

import numpy as np

from schedlab.metrics.metric import Values
from schedlab.sim import Schedule
from schedlab.sim.node_shares import NodeShares


def makespan(schedule: Schedule) -> float:
    """Time from the first submission to the last completion.

    max(end) − min(submit).
    """
    first, last = schedule.horizon_s()
    return float(last - first)


def utilisation(schedule: Schedule) -> float:
    """Share of the machine's node-seconds that jobs used.

    Σ n·r / (N · makespan), with n nodes and r the time the job ran; of nodes that it shares a job
    holds the share of their cores.
    """
    return _ratio(float(node_seconds(schedule).sum()), schedule.platform.nodes * makespan(schedule))


def throughput(schedule: Schedule) -> float:
    """Jobs that ran, per hour.

    3600 · jobs / makespan.
    """
    return _ratio(3600.0 * np.count_nonzero(schedule.started), makespan(schedule))


def node_seconds(schedule: Schedule) -> Values:
    """Node-seconds each job used: n·r, of shared nodes the share of their cores."""
    return np.multiply(NodeShares.of(schedule).of_jobs(), schedule.ran_s, dtype=np.float64)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
