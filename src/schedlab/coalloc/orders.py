"""Heuristics for narrow pseudo trees: in which order to put the jobs, ancestors first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from schedlab import _core
from schedlab.coalloc.network import ConstraintNetwork, Neighbours
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.errors import UnknownNameError

Order = list[int]
Heuristic = Callable[[Neighbours, list[int]], Order]
"""The order of the jobs, given their conflicts and a rank of each that breaks ties."""

TRIES = 16
"""The number of trees that ``best`` makes, to take the best of them."""


def max_degree(neighbours: Neighbours, ranks: list[int]) -> Order:
    """Search depth first, and go on to the neighbour with the most conflicts."""
    keys = [(len(others), -rank) for others, rank in zip(neighbours, ranks, strict=True)]
    order: Order = []
    seen: set[int] = set()
    for root in sorted(range(len(keys)), key=keys.__getitem__, reverse=True):
        path = [root]
        while path:
            if path[-1] not in seen:
                seen.add(path[-1])
                order.append(path[-1])
            ahead = neighbours[path[-1]] - seen
            if ahead:
                path.append(max(ahead, key=keys.__getitem__))
            else:
                path.pop()
    return order


def max_cardinality(neighbours: Neighbours, ranks: list[int]) -> Order:
    """Take the job in conflict with most of those already placed (Tarjan & Yannakakis 1984)."""
    placed_near = [0] * len(neighbours)
    left, order = set(range(len(neighbours))), []
    while left:
        job = max(left, key=lambda each: (placed_near[each], -ranks[each]))
        left.remove(job)
        order.append(job)
        for other in neighbours[job] & left:
            placed_near[other] += 1
    return order


def min_fill(neighbours: Neighbours, ranks: list[int]) -> Order:
    """Take, from the leaves on, the job whose elimination joins the fewest pairs of others."""
    return _core.min_fill(list(map(list, neighbours)), ranks)[::-1]


HEURISTICS: dict[str, Heuristic] = {
    "max-degree": max_degree,
    "max-cardinality": max_cardinality,
    "min-fill": min_fill,
}

CHOICES = (*HEURISTICS, "best")
"""``best``: of several trees, with ties broken by chance, the one with the smallest messages."""


def make_tree(network: ConstraintNetwork, heuristic: str, seed: int = 0) -> PseudoTree:
    """Return the pseudo tree of the network by that heuristic, one of ``CHOICES``."""
    if heuristic not in CHOICES:
        raise UnknownNameError("heuristic for pseudo trees", heuristic, CHOICES)
    neighbours, ranks = network.neighbours, list(range(len(network.variables)))
    if heuristic != "best":
        return PseudoTree.along(HEURISTICS[heuristic](neighbours, ranks), neighbours)
    random = np.random.default_rng(seed)
    trees = [PseudoTree.along(make(neighbours, ranks), neighbours) for make in HEURISTICS.values()]
    for _ in range(TRIES - len(trees)):
        shuffled = random.permutation(len(ranks)).tolist()
        trees.append(PseudoTree.along(min_fill(neighbours, shuffled), neighbours))
    return min(trees, key=lambda tree: _weight(tree, network))


def _weight(tree: PseudoTree, network: ConstraintNetwork) -> tuple[int, int]:
    cells = tree.cells(network.sizes)
    return max(cells, default=0), sum(cells)
