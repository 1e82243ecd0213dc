"""How fast DPOP computes its messages, beside plain numpy and beside copying them."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.table import Row
from schedlab.coalloc import generate_problem
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.propagation import propagate
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.utility import makespan_utilities
from schedlab.testing.coalloc import plain_dpop

JOBS, SLOTS, REPEATS = 30, 12, 3
WIDTHS = (3, 4, 5, 6)
A_FIFTH = 20.0


def coalloc() -> list[Row]:
    """Measure a pass for the makespan on trees of each width, one thread against one thread."""
    return [row for width in WIDTHS for row in of_width(width)]


def of_width(width: int) -> list[Row]:
    """Measure the first generated problem whose min-fill tree has this width."""
    network, tree = instance(width)
    utilities = makespan_utilities(network)
    cells = sum(tree.cells(network.sizes))
    native_s = best_s(lambda: propagate(network, tree, utilities))
    plain_s = best_s(lambda: plain_dpop(network, tree, utilities))
    source, target = np.zeros(cells, np.float32), np.empty(cells, np.float32)
    copy_s = best_s(lambda: np.copyto(target, source))
    wanted = A_FIFTH if width >= 5 else None
    return [
        Row(f"DPOP of width {width}, {JOBS} jobs, {SLOTS} slots", cells / native_s, "cells/s"),
        Row(
            f"  its time at width {width}, of plain numpy's", 100 * native_s / plain_s, "%", wanted
        ),
        Row(f"  a copy of the messages of width {width}", cells / copy_s, "cells/s"),
    ]


def instance(width: int) -> tuple[ConstraintNetwork, PseudoTree]:
    """Return a network with a tree of this width."""
    seed = 0
    while True:
        problem = generate_problem(JOBS, kind="one-or-two", slots=SLOTS, seed=seed)
        network = ConstraintNetwork.of(problem, may_leave_out=False)
        tree = make_tree(network, "min-fill")
        if tree.width == width:
            return network, tree
        seed += 1


def best_s(work: Callable[[], object]) -> float:
    """Return the seconds of the fastest of some repeats."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best
