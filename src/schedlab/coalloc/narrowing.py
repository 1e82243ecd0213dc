"""Relaxations that bound the width of a pseudo tree: edges go, and domains see to their safety.

Each deletes edges of the constraint network and takes values out of domains such that the two ends
of a deleted edge cannot overlap: a solution of what is left is a solution of the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from schedlab.coalloc.network import LEFT_OUT, Network
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.pseudotree import PseudoTree

Pick = Callable[[Network, list[int]], int]
"""Which of these jobs to fix next."""


def delete_edges(network: Network, tree: PseudoTree, width: int) -> tuple[Network, PseudoTree]:
    """WD as published: back edges over the widest node are deleted until none is too wide.

    Of the ancestors with such edges the one with the fewest is taken. It gets the first slots, and
    all descendants in conflict with it those after; two adjacent ancestors may both be given the
    first slots, and then nothing is feasible any more.
    """
    while tree.width > width:
        job = _widest(tree, network)
        below = tree.subtree(job)
        ancestor = min(
            tree.separators[job][:-1], key=lambda each: len(network.neighbours[each] & below)
        )
        edges = [(ancestor, other) for other in network.neighbours[ancestor] & below]
        network = _separated(network, tree, ancestor).without_edges(edges)
        tree = PseudoTree.along(tree.order, network.neighbours)
    return network, tree


def _separated(network: Network, tree: PseudoTree, ancestor: int) -> Network:
    """The ancestor in the first slots, all descendants in conflict with it in those after."""
    own = network.variables[ancestor]
    for other in network.neighbours[ancestor] & tree.subtree(ancestor):
        starts = network.variables[other].starts
        network = network.with_domain(other, (starts > own.slots) | (starts == LEFT_OUT))
    return network.with_domain(ancestor, own.until(own.slots))


def fix_jobs(
    network: Network,
    tree: PseudoTree,
    width: int,
    pick: Pick,
    heuristic: str,
    guide: Mapping[int, int] | None,
) -> tuple[Network, PseudoTree] | None:
    """Safe WD: jobs are fixed and their slots taken out of their neighbours' domains.

    Jobs are picked from the widest node and its separator, as many as half of what it is too wide,
    before the tree of the others is made anew. They get their value in the guide, or without one
    their earliest that leaves every neighbour a value; None if there is no such value.
    """
    while tree.width > width:
        widest = _widest(tree, network)
        candidates = [*tree.separators[widest], widest]
        for _ in range((tree.width - width + 1) // 2):
            job = pick(network, candidates)
            candidates.remove(job)
            fixed = network.with_fixed(job, guide[job]) if guide else _earliest(network, job)
            if fixed is None:
                return None
            network = fixed
        tree = make_tree(network, heuristic)
    return network, tree


def _earliest(network: Network, job: int) -> Network | None:
    starts = network.variables[job].starts.tolist()
    for start in sorted(starts, key=lambda each: (each == LEFT_OUT, each)):
        fixed = network.with_fixed(job, start)
        if min(fixed.sizes) > 0:
            return fixed
    return None


def _widest(tree: PseudoTree, network: Network) -> int:
    """The job with the most variables in its message, of these the one with the most cells."""
    cells = tree.cells(network.sizes)
    return max(tree.order, key=lambda job: (len(tree.separators[job]), cells[job]))
