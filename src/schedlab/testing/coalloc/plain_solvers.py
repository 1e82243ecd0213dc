"""Plain solvers to read and to compare with: DPOP, its elimination order, and brute force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from schedlab._core import Combine
from schedlab.coalloc import Objective, Problem
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork, Neighbours, Variable
from schedlab.coalloc.node import Cells, JobNode, UtilMessage
from schedlab.coalloc.propagation import Optimum, tree_nodes
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.solution import Starts
from schedlab.coalloc.utility import Utilities


def plain_dpop(network: ConstraintNetwork, tree: PseudoTree, utilities: Utilities) -> Optimum:
    """Run UTIL and keep every join; run VALUE by looking up the maximum of each join."""
    nodes = tree_nodes(network, tree, utilities)
    joins: dict[int, Cells] = {}
    sent: dict[int, UtilMessage] = {}
    for job in reversed(tree.order):
        joins[job] = _join(nodes[job], [sent[child] for child in tree.children[job]])
        sent[job] = UtilMessage(tree.separators[job], joins[job].max(axis=-1, initial=-np.inf))
    bests = [float(sent[root].table) for root in tree.roots]
    utility = sum(bests) if utilities.combine is Combine.SUM else min(bests)
    if utility == -np.inf:
        return Optimum(utility, ())
    places: dict[int, int] = {}
    for job in tree.order:
        places[job] = int(joins[job][tuple(places[o] for o in tree.separators[job])].argmax())
    return Optimum(
        utility,
        tuple(int(node.own.starts[places[node.job]]) for node in nodes),
    )


def plain_util(node: JobNode, children: Sequence[UtilMessage]) -> UtilMessage:
    """Return the same message as ``node.util(children)``."""
    return UtilMessage(tuple(node.separator), _join(node, children).max(axis=-1))


def _join(node: JobNode, children: Sequence[UtilMessage]) -> Cells:
    scope = [*node.separator, node.job]
    sizes = [len(each.starts) for each in node.separator.values()]
    combine = np.add if node.combine is Combine.SUM else np.minimum
    join = np.broadcast_to(node.utility, [*sizes, len(node.utility)]).copy()
    for other in node.linked:
        barrier = _barrier(node.separator[other], node.own, node.combine)
        combine(join, _aligned(barrier.astype(join.dtype), (other, node.job), scope), out=join)
    for child in children:
        combine(join, _aligned(child.table, child.separator, scope), out=join)
    return join


def _barrier(one: Variable, other: Variable, combine: Combine) -> NDArray[np.float64]:
    """Return minus infinity for each pair of starts at which the jobs overlap, else neutral."""
    first, second = one.starts[:, None], other.starts[None, :]
    both = (first != LEFT_OUT) & (second != LEFT_OUT)
    clash = both & (first < second + other.slots) & (second < first + one.slots)
    return np.where(clash, -np.inf, 0.0 if combine is Combine.SUM else np.inf)


def _aligned(table: Cells, axes: Sequence[int], scope: Sequence[int]) -> Cells:
    """Return the table with an axis of length 1 for each job of the scope that it does not have."""
    lengths = dict(zip(axes, table.shape, strict=True))
    in_order = np.transpose(table, np.argsort([scope.index(job) for job in axes]))
    return in_order.reshape([lengths.get(job, 1) for job in scope])


def plain_min_fill(neighbours: Neighbours, ranks: Sequence[int]) -> list[int]:
    """Return the same order as ``schedlab.coalloc.orders.min_fill``, ancestors first."""
    near = {job: set(others) for job, others in enumerate(neighbours)}
    order = []
    while near:
        job = min(near, key=lambda each: (_joined(near, each), len(near[each]), ranks[each]))
        around = near.pop(job)
        for other in around:
            near[other] |= around - {other}
            near[other].discard(job)
        order.append(job)
    return order[::-1]


def _joined(near: dict[int, set[int]], job: int) -> int:
    """Return how many pairs of neighbours the elimination of the job would join."""
    return sum(one not in near[other] for one, other in combinations(near[job], 2))


def brute_force(problem: Problem, objective: Objective) -> Starts | None:
    """Return the best starts by the objective, the first of equals; None if nothing is feasible."""
    return min(
        feasible_starts(problem, objective.may_leave_out),
        key=lambda starts: objective.key(problem, starts),
        default=None,
    )


def feasible_starts(problem: Problem, may_leave_out: bool) -> Iterator[Starts]:
    """Yield every choice of starts without overlaps."""
    extra = [None] if may_leave_out else []
    domains = [[*extra, *problem.domain(job)] for job in range(len(problem.jobs))]
    pairs = [
        pair
        for pair in combinations(range(len(problem.jobs)), 2)
        if set(problem.jobs[pair[0]].resources) & set(problem.jobs[pair[1]].resources)
    ]
    for starts in product(*domains):
        if not any(_overlap(problem, starts, *pair) for pair in pairs):
            yield starts


def _overlap(problem: Problem, starts: Starts, one: int, other: int) -> bool:
    first, second = starts[one], starts[other]
    if first is None or second is None:
        return False
    return first < second + problem.jobs[other].slots and second < first + problem.jobs[one].slots
