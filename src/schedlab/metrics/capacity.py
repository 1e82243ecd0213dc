"""Metrics of the use of the machine, of the queue, and of fairness between users."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedlab.metrics.metric import Values
from schedlab.metrics.wait import bounded_slowdown
from schedlab.sim import Schedule
from schedlab.sim.node_shares import NodeShares, shared_demands


def makespan(schedule: Schedule) -> float:
    """Time from the first submission to the last completion.

    max(end) − min(submit).
    """
    first, last = schedule.horizon_s()
    return float(last - first)


def utilisation(schedule: Schedule) -> float:
    """Share of the machine's node-seconds that jobs used.

    Σ n·r / (N · makespan), with n nodes and r the time the job ran; on shared nodes, n is the job's
    share of their cores.
    """
    return _ratio(float(node_seconds(schedule).sum()), schedule.platform.nodes * makespan(schedule))


def throughput(schedule: Schedule) -> float:
    """Jobs that ran, per hour.

    3600 · jobs / makespan.
    """
    return _ratio(3600.0 * np.count_nonzero(schedule.started), makespan(schedule))


def node_seconds(schedule: Schedule) -> Values:
    """Return the node-seconds each job used: n·r; on shared nodes, n is its share of cores."""
    return np.multiply(NodeShares.of(schedule).of_jobs(), schedule.ran_s, dtype=np.float64)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def mean_queue_length(schedule: Schedule) -> float:
    """Jobs waiting, averaged over time.

    ∫ q(t) dt / makespan, with q(t) the jobs eligible but not started at t.
    """
    return schedule.queue_length().mean(*schedule.horizon_s())


def max_queue_length(schedule: Schedule) -> float:
    """Most jobs ever waiting at once.

    max q(t), counted after all events of an instant.
    """
    return float(schedule.queue_length().value.max(initial=0))


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
    """Return Jain's index of fairness, (Σ x)² / (n · Σ x²); 1 if all are 0, NaN without values."""
    x = np.asarray(values, dtype=float)
    if not x.any():
        return 1.0 if len(x) else float("nan")
    # Scaling first keeps the squares of very large or very small values finite.
    x = x / np.abs(x).max()
    return float(x.sum() ** 2 / (len(x) * np.dot(x, x)))


Integers = NDArray[np.int64]


def loss_of_capacity(schedule: Schedule) -> float:
    """Share of the machine's node-seconds idle while some waiting job would have fitted.

    Σ m·δ·(t' − t) / (N · makespan) over the spans t..t' between events, with m the idle nodes and
    δ = 1 if some waiting job needs at most m nodes, else 0 (Tang et al.,
    IPDPS 2011, after Zhang et al., IEEE TPDS 14(3), 2003). Not defined where jobs need nodes of
    named clusters or share nodes: the idle nodes may be in the wrong place.
    """
    first, last = schedule.horizon_s()
    if last == first or "needs" in schedule.workload or shared_demands(schedule) is not None:
        return float("nan")
    used = schedule.used_nodes()
    moments = np.sort(
        np.concatenate([used.time_s, schedule.eligible_s, schedule.left_queue_s(), [first, last]])
    )
    moments = moments[(moments >= first) & (moments <= last)]
    idle = schedule.platform.nodes - used.at(moments[:-1])
    fits = _narrowest_waiting(schedule, moments) <= idle
    lost = np.dot((idle * fits).astype(float), np.diff(moments).astype(float))
    return float(lost / (schedule.platform.nodes * (last - first)))


def _narrowest_waiting(schedule: Schedule, moments: Integers) -> Integers:
    """Return the fewest nodes any waiting job needs in each span between neighbouring moments."""
    waited = schedule.eligible_s >= 0
    begin = np.searchsorted(moments, schedule.eligible_s[waited])
    end = np.searchsorted(moments, schedule.left_queue_s()[waited])
    return least_over_spans(begin, end, schedule.workload["nodes"][waited], len(moments) - 1)


def least_over_spans(begin: Integers, end: Integers, value: Integers, places: int) -> Integers:
    """Return for each place the least value of the spans ``begin..end-1`` over it, else a huge one.

    A sparse table run backwards: each span is covered by two overlapping blocks of the largest
    power of two that fits, and each level of blocks hands its minima down to the next.
    """
    none = np.iinfo(np.int64).max
    end = np.minimum(end, places)
    begin, end, value = (column[begin < end] for column in (begin, end, value))
    level = np.frexp(end - begin)[1] - 1
    least = np.full(places, none)
    for power in range(level.max(initial=0), -1, -1):
        at_level, block = level == power, 1 << power
        np.minimum.at(least, begin[at_level], value[at_level])
        np.minimum.at(least, end[at_level] - block, value[at_level])
        if power:
            half = block // 2
            least[half:] = np.minimum(least[half:], least[:-half])
    return least
