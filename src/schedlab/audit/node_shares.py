"""Check that jobs that share nodes had room there, and ran where they may."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.platform import Demands
from schedlab.platform.asked import WHOLE_GPU_MILLI
from schedlab.sim import NodeRanges, Schedule

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class HeldNodes:
    """All nodes that jobs held, as pairs of the job's position and the node's number."""

    job: Counts
    node: Counts

    @classmethod
    def of(cls, schedule: Schedule, ranges: NodeRanges) -> HeldNodes:
        """Return the nodes of the jobs that ran, job by job."""
        kept = ranges.take(schedule.started)
        width = kept.width()
        begin = np.repeat(kept.first - np.concatenate([[0], np.cumsum(width)[:-1]]), width)
        places = np.flatnonzero(schedule.started)[np.repeat(kept.job(), width)]
        return cls(places, begin + np.arange(int(width.sum())))


def first_forbidden(held: HeldNodes, demands: Demands, nodes: int) -> Counts:
    """Return for each job the first of its nodes that it may not have, or -1."""
    allowed = np.zeros((len(demands.node_sets), nodes), dtype=bool)
    for place, each in enumerate(demands.node_sets):
        allowed[place, each.nodes] = True
    may = np.zeros(len(held.job), dtype=bool)
    parts = np.bincount(demands.job)
    for at in range(int(parts.max(initial=0))):
        has = parts[held.job] > at
        part = np.minimum(np.searchsorted(demands.job, held.job) + at, len(demands.job) - 1)
        may |= has & allowed[demands.allowed[part], held.node]
    first = np.full(len(parts), -1)
    wrong = np.flatnonzero(~may)[::-1]
    first[held.job[wrong]] = held.node[wrong]
    return first


def first_overfull(
    schedule: Schedule, held: HeldNodes, demands: Demands, capacity: Counts, tolerance_s: int
) -> Counts:
    """Return for each job the first node that had too little free when the job started, or -1.

    Args:
        schedule: what happened.
        held: the nodes that each job held.
        demands: what the jobs need.
        capacity: what nodes have, as (node, resource).
        tolerance_s: allow overlaps up to this long.
    """
    per_node, capacity = _in_milli(demands, capacity)
    share = np.where(demands.whole[held.job][:, None], capacity[held.node], per_node[held.job])
    # Each job takes 1 of an extra resource; a job that has a node to itself takes all of it.
    alone = np.where(demands.whole[held.job], len(schedule), 1)[:, None]
    share = np.column_stack([share, alone])
    room = np.column_stack([capacity, np.full(len(capacity), len(schedule))])
    start_s, end_s = schedule.start_s[held.job] + tolerance_s, schedule.end_s[held.job]
    ran = np.flatnonzero(end_s > start_s)
    node = np.concatenate([held.node[ran], held.node[ran]])
    starts = np.concatenate([np.ones(len(ran), dtype=bool), np.zeros(len(ran), dtype=bool)])
    change = np.concatenate([share[ran], -share[ran]])
    order = np.lexsort((starts, np.concatenate([start_s[ran], end_s[ran]]), node))
    node, starts, change = node[order], starts[order], change[order]
    used = np.cumsum(change, axis=0)
    over = starts & (used > room[node]).any(axis=1)
    first = np.full(len(schedule), -1)
    wrong = np.flatnonzero(over)[::-1]
    first[held.job[np.concatenate([ran, ran])[order][wrong]]] = node[wrong]
    return first


def _in_milli(demands: Demands, capacity: Counts) -> tuple[Counts, Counts]:
    """Return what jobs need and nodes have, with GPUs in thousandths."""
    gpus = np.array([name.split(":")[0] == "gpu" for name in demands.resources.names], dtype=bool)
    of_job = np.where(gpus, demands.gpu_milli[:, None], 1)
    return demands.per_node * of_job, capacity * np.where(gpus, WHOLE_GPU_MILLI, 1)
