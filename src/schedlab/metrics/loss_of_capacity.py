"""Nodes left idle although a waiting job would have fitted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.sim import Schedule
from schedlab.sim.node_shares import shared_demands

Integers = NDArray[np.int64]


def loss_of_capacity(schedule: Schedule) -> float:
    """Share of the machine's node-seconds idle while some waiting job would have fitted.

    Σ m·δ·(t' − t) / (N · makespan) over the spans t..t' between events, with m the idle nodes and
    δ = 1 if some waiting job needs at most m nodes, else 0 (Tang et al.,
    IPDPS 2011, after Zhang et al., IEEE TPDS 14(3), 2003). Not defined where jobs need nodes of
    named clusters or share nodes: that enough are idle does not say where.
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
    """The fewest nodes any waiting job needs in each span between neighbouring moments."""
    waited = schedule.eligible_s >= 0
    begin = np.searchsorted(moments, schedule.eligible_s[waited])
    end = np.searchsorted(moments, schedule.left_queue_s()[waited])
    return least_over_spans(begin, end, schedule.workload["nodes"][waited], len(moments) - 1)


def least_over_spans(begin: Integers, end: Integers, value: Integers, places: int) -> Integers:
    """For each place the least value of the spans ``begin..end-1`` over it, else a huge one.

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
