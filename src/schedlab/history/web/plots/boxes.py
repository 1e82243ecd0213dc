"""Jobs on nodes as boxes of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_COLUMNS, _ROWS = 480, 400

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Boxes:
    """Jobs on neighbouring nodes: from ``first`` to ``last``, both included, by their places."""

    job: Ints
    first: Ints
    last: Ints

    @classmethod
    def of(cls, job: Ints, node: Ints) -> Boxes:
        """Make boxes of pairs of a job and a node, by their places; merge neighbouring nodes."""
        order = np.lexsort((node, job))
        job, node = job[order], node[order]
        begins = np.ones(len(job), dtype=bool)
        begins[1:] = (job[1:] != job[:-1]) | (node[1:] > node[:-1] + 1)
        ends = np.append(begins[1:], True)[: len(job)]
        return cls(job[begins], node[begins], node[ends])

    def __len__(self) -> int:
        return len(self.job)


@dataclass(frozen=True, eq=False)
class GanttBars:
    """What a Gantt chart shows of each job, besides its nodes."""

    jobid: Sequence[str]
    user: Sequence[str]
    start_s: Ints
    end_s: Ints
    wait_s: Ints


def busy_shares(
    boxes: Boxes, bars: GanttBars, nodes: int, span_s: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the share of each part of the picture in which nodes had a job, as (row, column).

    A node that two jobs share counts as if each had a node of its own; a share is at most 1.
    """
    rows, (from_s, to_s) = min(nodes, _ROWS), span_s
    edge_s = np.linspace(from_s, to_s, _COLUMNS + 1)
    bottom = boxes.first * rows // nodes
    top = boxes.last * rows // nodes
    weight = (boxes.last - boxes.first + 1) / (top - bottom + 1) * rows / nodes
    covered = np.zeros((rows + 1, _COLUMNS))
    start = np.clip(bars.start_s[boxes.job], from_s, to_s)
    end = np.clip(bars.end_s[boxes.job], from_s, to_s)
    for box in range(len(boxes)):
        left, right = np.searchsorted(edge_s, (start[box], end[box]))
        columns = slice(max(left - 1, 0), min(right, _COLUMNS))
        low, high = edge_s[:-1][columns], edge_s[1:][columns]
        overlap = np.maximum(np.minimum(high, end[box]) - np.maximum(low, start[box]), 0)
        covered[bottom[box], columns] += weight[box] * overlap / (high - low)
        covered[top[box] + 1, columns] -= weight[box] * overlap / (high - low)
    shares: NDArray[np.float64] = np.clip(covered.cumsum(axis=0)[:rows], 0.0, 1.0)
    return shares
