"""Check that jobs that take parts of GPUs had room on single GPUs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedlab.audit.node_shares import HeldNodes
from schedlab.platform import Demands
from schedlab.platform.asked import WHOLE_GPU_MILLI
from schedlab.sim import Schedule

Counts = NDArray[np.int64]
_MOST_TRIES = 10_000


def first_unpacked(
    schedule: Schedule, held: HeldNodes, demands: Demands, gpus: Counts, tolerance_s: int
) -> Counts:
    """Return for each job the first node on whose GPUs it did not fit when it started, or -1.

    Args:
        schedule: what happened.
        held: the nodes that each job held.
        demands: what the jobs need.
        gpus: the number of GPUs of each node.
        tolerance_s: allow overlaps up to this long.
    """
    first = np.full(len(schedule), -1)
    count = demands.per_node[:, demands.resources.place["gpu"]]
    part = (demands.gpu_milli < WHOLE_GPU_MILLI) & (count > 0) & ~demands.whole
    for node in np.unique(held.node[part[held.job]]).tolist():
        there = held.job[(held.node == node) & (count[held.job] > 0) & ~demands.whole[held.job]]
        start_s, end_s = schedule.start_s[there] + tolerance_s, schedule.end_s[there]
        for job, moment in zip(there.tolist(), start_s.tolist(), strict=True):
            beside = there[(start_s <= moment) & (moment < end_s)]
            wanted = np.repeat(demands.gpu_milli[beside], count[beside])
            if job in beside and first[job] < 0 and not _packs(wanted.tolist(), int(gpus[node])):
                first[job] = node
    return _only_the_last(schedule, first)


def _only_the_last(schedule: Schedule, first: Counts) -> Counts:
    """Keep, of jobs that started at the same time on one node, the last in the workload."""
    wrong = np.flatnonzero(first >= 0)
    kept = {(first[job], schedule.start_s[job]): job for job in wrong.tolist()}
    left = np.full(len(first), -1)
    for job in kept.values():
        left[job] = first[job]
    return left


def _packs(wanted: list[int], gpus: int) -> bool:
    """Return whether all parts and whole GPUs find room; True if the search takes too long."""
    wanted = sorted(wanted, reverse=True)
    return sum(wanted) <= gpus * WHOLE_GPU_MILLI and _Packing(wanted).done(0, [0] * gpus)


class _Packing:
    def __init__(self, wanted: list[int]) -> None:
        self.wanted, self.tries = wanted, 0

    def done(self, at: int, used: list[int]) -> bool:
        """Return whether the parts from this place on find room beside what is used."""
        self.tries += 1
        if at == len(self.wanted) or self.tries > _MOST_TRIES:
            return True
        for level in sorted(set(used), reverse=True):
            if level + self.wanted[at] <= WHOLE_GPU_MILLI:
                gpu = used.index(level)
                used[gpu] += self.wanted[at]
                if self.done(at + 1, used):
                    return True
                used[gpu] -= self.wanted[at]
        return False
