"""Naming nodes for a schedule that only says how many each job used."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import WorkloadError
from schedlab.sim.node_ranges import NodeRanges

Ranges = list[tuple[int, int]]


def name_nodes(
    start_s: NDArray[np.int64], end_s: NDArray[np.int64], nodes: NDArray[np.int64], total: int
) -> NodeRanges:
    """Gives each job the lowest numbers free at its start, as the simulator does.

    A job that never ran (start -1) gets none. At one instant ends come first, then jobs that run
    for 0 s, then the other starts.
    """
    given: list[Ranges] = [[] for _ in start_s]
    free: Ranges = [(0, total - 1)]
    width = nodes.tolist()
    for kind, job in _events(start_s, end_s):
        if kind != _END:
            given[job] = _take(free, width[job])
            if not given[job]:
                raise WorkloadError(
                    f"{width[job]} nodes start at {start_s[job]} s, more than are free of {total}"
                )
        if kind != _START:
            for ends in given[job]:
                _put_back(free, ends)
    return _packed(given)


_END, _INSTANT, _START = 0, 1, 2


def _events(start_s: NDArray[np.int64], end_s: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """(kind, job) of every start and end in the order in which they happen."""
    ran = np.flatnonzero(start_s >= 0)
    lasting = ran[end_s[ran] > start_s[ran]]
    instant = ran[end_s[ran] == start_s[ran]]
    job = np.concatenate([lasting, instant, lasting])
    kind = np.repeat([_END, _INSTANT, _START], [len(lasting), len(instant), len(lasting)])
    when = np.concatenate([end_s[lasting], start_s[instant], start_s[lasting]])
    order = np.lexsort((job, kind, when))
    return zip(kind[order].tolist(), job[order].tolist(), strict=True)


def _take(free: Ranges, count: int) -> Ranges:
    """The lowest so many free nodes, removed from ``free``; none if there are too few."""
    taken = 0
    for index, (first, last) in enumerate(free):
        taken += last - first + 1
        if taken >= count:
            split = last - (taken - count)
            given = [*free[:index], (first, split)]
            free[: index + 1] = [(split + 1, last)] if split < last else []
            return given
    return []


def _put_back(free: Ranges, ends: tuple[int, int]) -> None:
    """Returns a range to ``free``, which stays sorted with no two ranges touching."""
    first, last = ends
    at = bisect_left(free, ends)
    if at < len(free) and free[at][0] == last + 1:
        last = free.pop(at)[1]
    if at > 0 and free[at - 1][1] == first - 1:
        first = free.pop(at - 1)[0]
    insort(free, (first, last))


def _packed(given: list[Ranges]) -> NodeRanges:
    counts = np.fromiter((len(ranges) for ranges in given), dtype=np.int64, count=len(given))
    flat = np.array([ends for ranges in given for ends in ranges], dtype=np.int32).reshape(-1, 2)
    offset = np.concatenate([[0], np.cumsum(counts)])
    return NodeRanges(offset, flat[:, 0].copy(), flat[:, 1].copy())
