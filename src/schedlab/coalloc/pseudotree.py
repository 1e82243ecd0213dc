"""Pseudo trees: orders of the jobs in which every conflict joins an ancestor and a descendant.

The separator of a node consists of its ancestors that the node or its descendants are in conflict
with: the variables of its UTIL message. The largest separator is the induced width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from schedlab.coalloc.network import Neighbours


@dataclass(frozen=True)
class PseudoTree:
    """A forest over the jobs, one tree for each connected component of the graph."""

    order: tuple[int, ...]
    """All jobs, ancestors before descendants."""
    parents: tuple[int | None, ...]
    separators: tuple[tuple[int, ...], ...]
    """The separator of each job, in the order of the tree: the parent is the last."""

    @classmethod
    def along(cls, order: Sequence[int], neighbours: Neighbours) -> PseudoTree:
        """Return the tree in which jobs are eliminated from the last of the order to the first.

        The parent of a job is the last of its separator. Along the order in which a depth-first
        search visits the jobs this is the search's own tree.
        """
        place = {job: at for at, job in enumerate(order)}
        linked = [
            {other for other in others if place[other] < place[job]}
            for job, others in enumerate(neighbours)
        ]
        parents: list[int | None] = [None] * len(order)
        for job in reversed(order):
            if linked[job]:
                parent = max(linked[job], key=place.__getitem__)
                parents[job] = parent
                linked[parent] |= linked[job] - {parent}
        separators = (tuple(sorted(each, key=place.__getitem__)) for each in linked)
        return cls(tuple(order), tuple(parents), tuple(separators))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each job."""
        found: list[list[int]] = [[] for _ in self.parents]
        for job in self.order:
            parent = self.parents[job]
            if parent is not None:
                found[parent].append(job)
        return tuple(map(tuple, found))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How many ancestors each job has."""
        depths = [0] * len(self.parents)
        for job in self.order:
            parent = self.parents[job]
            if parent is not None:
                depths[job] = depths[parent] + 1
        return tuple(depths)

    @property
    def roots(self) -> tuple[int, ...]:
        """The jobs without a parent."""
        return tuple(job for job in self.order if self.parents[job] is None)

    @property
    def height(self) -> int:
        """The number of messages on the longest way from a leaf to its root."""
        return max(self.depths, default=0)

    @property
    def width(self) -> int:
        """The induced width: the number of variables of the largest separator."""
        return max(map(len, self.separators), default=0)

    def cells(self, sizes: Sequence[int]) -> list[int]:
        """Return for each job the cells of its UTIL message, by the sizes of domains; a root: 0."""
        return [
            math.prod(sizes[other] for other in separator) if separator else 0
            for separator in self.separators
        ]

    def subtree(self, job: int) -> frozenset[int]:
        """Return the job and all its descendants."""
        found, waiting = set(), [job]
        while waiting:
            here = waiting.pop()
            found.add(here)
            waiting.extend(self.children[here])
        return frozenset(found)

    def back_edges(self, neighbours: Neighbours) -> list[tuple[int, int]]:
        """Return conflicts of an ancestor with a descendant not its child, (ancestor, other)."""
        return [
            (other, job)
            for job in self.order
            for other in self.separators[job]
            if other in neighbours[job] and other != self.parents[job]
        ]
