"""Relaxations that bound the width of a pseudo tree by deleting edges.

Each deletes edges of the constraint network and takes values out of domains so that the two ends of
a deleted edge cannot overlap: a solution of what is left is a solution of the problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.pseudotree import PseudoTree

Pick = Callable[[ConstraintNetwork, list[int]], int]
"""Returns which of these jobs to fix next."""


@dataclass(frozen=True)
class MessageBound:
    """The size limit of a UTIL message, in cells or in variables."""

    width: int
    cells: int | None = None

    def excess(self, sizes: Sequence[int]) -> int:
        """Return how many variables, at least, must leave a message with these domain sizes."""
        if self.cells is None:
            return max(0, len(sizes) - self.width)
        cells, gone = math.prod(sizes), 0
        for size in sorted(sizes, reverse=True):
            if cells <= self.cells:
                break
            cells //= size
            gone += 1
        return gone


def delete_edges(
    network: ConstraintNetwork, tree: PseudoTree, width: int
) -> tuple[ConstraintNetwork, PseudoTree]:
    """Delete back edges above the widest node until none is too wide: WD as published.

    Of the ancestors with such edges, the one with the fewest is chosen. It gets the first slots,
    and all descendants in conflict with it get those after. Two adjacent ancestors may both get
    the first slots; then nothing is feasible any more.
    """
    bound = MessageBound(width)
    while tree.width > width:
        job, _ = _widest(network, tree, bound)
        below = tree.subtree(job)
        ancestor = min(
            tree.separators[job][:-1], key=lambda each: len(network.neighbours[each] & below)
        )
        edges = [(ancestor, other) for other in network.neighbours[ancestor] & below]
        network = _separated(network, tree, ancestor).without_edges(edges)
        tree = PseudoTree.along(tree.order, network.neighbours)
    return network, tree


def _separated(network: ConstraintNetwork, tree: PseudoTree, ancestor: int) -> ConstraintNetwork:
    """Put the ancestor in the first slots, all descendants in conflict with it in those after."""
    own = network.variables[ancestor]
    for other in network.neighbours[ancestor] & tree.subtree(ancestor):
        starts = network.variables[other].starts
        network = network.with_domain(other, (starts > own.slots) | (starts == LEFT_OUT))
    return network.with_domain(ancestor, own.until(own.slots))


def fix_jobs(
    network: ConstraintNetwork,
    tree: PseudoTree,
    bound: MessageBound,
    pick: Pick,
    heuristic: str,
    guide: Mapping[int, int] | None,
) -> tuple[ConstraintNetwork, PseudoTree] | None:
    """Fix jobs and take their slots out of their neighbours' domains: safe WD.

    Jobs are picked from the widest node and its separator, half as many as it has too many, before
    the tree of the others is rebuilt. Edges between jobs that cannot overlap any more are deleted,
    too. A job gets its value in the guide; without a guide, it gets its earliest value that leaves
    every neighbour a value, and the result is None if there is no such value.
    """
    while True:
        widest, excess = _widest(network, tree, bound)
        if not excess:
            return network, tree
        candidates = [*tree.separators[widest], widest]
        for _ in range((excess + 1) // 2):
            job = pick(network, candidates)
            candidates.remove(job)
            fixed = network.with_fixed(job, guide[job]) if guide else _earliest(network, job)
            if fixed is None:
                return None
            network = fixed
        network = network.without_void_edges()
        tree = make_tree(network, heuristic)


def _earliest(network: ConstraintNetwork, job: int) -> ConstraintNetwork | None:
    starts = network.variables[job].starts.tolist()
    for start in sorted(starts, key=lambda each: (each == LEFT_OUT, each)):
        fixed = network.with_fixed(job, start)
        if min(fixed.sizes) > 0:
            return fixed
    return None


def _widest(network: ConstraintNetwork, tree: PseudoTree, bound: MessageBound) -> tuple[int, int]:
    """Return the job whose message is most variables over the bound, or largest; and how many."""
    sizes, cells = network.sizes, tree.cells(network.sizes)
    excess = [bound.excess([sizes[other] for other in each]) for each in tree.separators]
    widest = max(tree.order, key=lambda job: (excess[job], cells[job]))
    return widest, excess[widest]
