"""DPOP on a given pseudo tree: UTIL from the leaves to the root, VALUE from the root down.

A. Petcu & B. Faltings, "A scalable method for multiagent constraint optimization", IJCAI 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from schedlab._core import Combine
from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork
from schedlab.coalloc.node import JobNode, UtilMessage
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.solution import Starts
from schedlab.coalloc.utility import Utilities

BYTES_PER_VALUE = 4
"""The bytes of one ancestor's value in a VALUE message."""


@dataclass(frozen=True)
class Optimum:
    """The optimum on a network."""

    utility: float
    """Minus infinity if nothing is feasible."""
    values: tuple[int, ...]
    """The first slot of each job, or LEFT_OUT; empty if nothing is feasible."""

    def starts(self, jobs: int) -> Starts:
        """Return the values of all jobs as a solution; all None if nothing is feasible."""
        if not self.values:
            return (None,) * jobs
        return tuple(None if value == LEFT_OUT else value for value in self.values)


Propagate = Callable[[ConstraintNetwork, PseudoTree, Utilities, int], Optimum]
"""One pass over a network, its tree and utilities, with threads here or by agents."""


def tree_nodes(network: ConstraintNetwork, tree: PseudoTree, utilities: Utilities) -> list[JobNode]:
    """Return for each job its node of the tree."""
    return [
        JobNode(
            job,
            variable,
            utilities.tables[job],
            {other: network.variables[other] for other in tree.separators[job]},
            network.neighbours[job].intersection(tree.separators[job]),
            utilities.combine,
        )
        for job, variable in enumerate(network.variables)
    ]


def propagate(
    network: ConstraintNetwork, tree: PseudoTree, utilities: Utilities, threads: int = 1
) -> Optimum:
    """Run one pass of UTIL and VALUE over the whole forest."""
    if min(network.sizes, default=1) == 0:
        return Optimum(-np.inf, ())
    nodes = tree_nodes(network, tree, utilities)
    sent: dict[int, UtilMessage] = {}
    for job in reversed(tree.order):
        sent[job] = nodes[job].util([sent[child] for child in tree.children[job]], threads)
    utility = joined([float(sent[root].table) for root in tree.roots], utilities.combine)
    if utility == -np.inf:
        return Optimum(utility, ())
    values: dict[int, int] = {}
    for job in tree.order:
        values[job] = nodes[job].choose(values, [sent[child] for child in tree.children[job]])
    return Optimum(utility, tuple(values[job] for job in range(len(nodes))))


def messages_of_pass(tree: PseudoTree, sizes: list[int], bytes_per_cell: int) -> MessageStatistics:
    """Return what the agents send in one pass, known before anything is computed.

    UTIL messages have one cell for each combination of the separator's values; VALUE messages name
    the value of each job of the child's separator.
    """
    cells = tree.cells(sizes)
    edges = len(tree.order) - len(tree.roots)
    told = sum(map(len, tree.separators))
    return MessageStatistics(
        cycles=2 * tree.height,
        messages=2 * edges,
        bytes=sum(cells) * bytes_per_cell + told * BYTES_PER_VALUE,
        largest_cells=max(cells, default=0),
        largest_bytes=max(cells, default=0) * bytes_per_cell,
        width=tree.width,
    )


def joined(utilities: list[float], combine: Combine) -> float:
    """Return the utility of several independent parts together."""
    return sum(utilities) if combine is Combine.SUM else min(utilities)
