"""The rectangles of a Gantt chart: ranges of whole nodes, and parts of shared ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.sim import NodeRanges, Schedule
from schedlab.sim.node_shares import NodeShares

Places = NDArray[np.float64]
Lane = tuple[int, float, float]
"""When a job on a node ends, and the part of the node's height that it has."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Bars:
    """Where jobs are on the axis of nodes, on which node i reaches from i - 0.5 to i + 0.5."""

    job: NDArray[np.int64]
    bottom: Places
    top: Places


def bars_of(schedule: Schedule) -> Bars:
    """Return a bar for each range of nodes of a job, or for each node that it shares.

    On a shared node the height of a bar is the share of the cores, and jobs stand above each other.
    """
    ranges, shares = schedule.named_nodes(), NodeShares.of(schedule)
    if shares.demands is None:
        ranges = ranges.joined()  # a job that was suspended has each node for itself
    job = ranges.job()
    bottom, top = ranges.first.astype(float) - 0.5, ranges.last.astype(float) + 0.5
    if shares.demands is None:
        return Bars(job, bottom, top)
    whole = shares.demands.whole[job]
    parts = _parts(schedule, shares, ranges)
    return Bars(
        np.concatenate([job[whole], parts.job]),
        np.concatenate([bottom[whole], parts.bottom]),
        np.concatenate([top[whole], parts.top]),
    )


def _parts(schedule: Schedule, shares: NodeShares, ranges: NodeRanges) -> Bars:
    """Return the bars of jobs that share nodes."""
    on_each = shares.of_ranges(ranges, 0, schedule.platform.nodes) / ranges.width()
    assert shares.demands is not None
    whole, job = shares.demands.whole, ranges.job()
    order = sorted(np.flatnonzero(~whole[job]).tolist(), key=lambda at: schedule.start_s[job[at]])
    lanes: dict[int, list[Lane]] = {}
    found = []
    for at in order:
        start_s, end_s = int(schedule.start_s[job[at]]), int(schedule.end_s[job[at]])
        for node in range(int(ranges.first[at]), int(ranges.last[at]) + 1):
            busy = [lane for lane in lanes.get(node, ()) if lane[0] > start_s]
            low = _lowest_gap(busy, float(on_each[at]))
            high = low + float(on_each[at])
            lanes[node] = [*busy, (end_s, low, high)]
            found.append((int(job[at]), node - 0.5 + low, node - 0.5 + high))
    table = np.array(found, dtype=float).reshape(-1, 3)
    return Bars(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])


def _lowest_gap(busy: list[Lane], height: float) -> float:
    """Return the lowest place where a job of this height fits between the others.

    At the top if no gap is large enough.
    """
    low = 0.0
    for _, begin, end in sorted(busy, key=lambda lane: lane[1]):
        if begin - low >= height - _ROUNDING:
            return low
        low = max(low, end)
    return min(low, max(0.0, 1.0 - height))
