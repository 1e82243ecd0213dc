"""DPOP as the textbook has it: the join as one array, then the maximum over the own axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedlab._core import Combine
from schedlab.coalloc.network import LEFT_OUT, Network, Variable
from schedlab.coalloc.node import Cells, Node, UtilMessage
from schedlab.coalloc.propagation import Optimum, tree_nodes
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.utility import Utilities


def plain_dpop(network: Network, tree: PseudoTree, utilities: Utilities) -> Optimum:
    """UTIL with every join kept, VALUE by looking up its maximum."""
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


def plain_util(node: Node, children: Sequence[UtilMessage]) -> UtilMessage:
    """The same message as ``node.util(children)``."""
    return UtilMessage(tuple(node.separator), _join(node, children).max(axis=-1))


def _join(node: Node, children: Sequence[UtilMessage]) -> Cells:
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
    """For each pair of values minus infinity where the jobs would overlap, else neutral."""
    first, second = one.starts[:, None], other.starts[None, :]
    both = (first != LEFT_OUT) & (second != LEFT_OUT)
    clash = both & (first < second + other.slots) & (second < first + one.slots)
    return np.where(clash, -np.inf, 0.0 if combine is Combine.SUM else np.inf)


def _aligned(table: Cells, axes: Sequence[int], scope: Sequence[int]) -> Cells:
    """The table with an axis of length 1 for each job of the scope that it does not have."""
    lengths = dict(zip(axes, table.shape, strict=True))
    in_order = np.transpose(table, np.argsort([scope.index(job) for job in axes]))
    return in_order.reshape([lengths.get(job, 1) for job in scope])
