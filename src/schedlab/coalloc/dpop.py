"""DPOP: complete dynamic programming along a pseudo tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.objective import Objective, measure
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.propagation import (
    BYTES_PER_VALUE,
    Propagate,
    messages_of_pass,
    propagate,
)
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.coalloc.solution import Solution
from schedlab.coalloc.solver import Limits, Stopwatch
from schedlab.coalloc.stages import Stages, memory_bytes
from schedlab.coalloc.utility import LARGEST_CELL_BYTES
from schedlab.coalloc.wd import WidthDeletion
from schedlab.errors import UnknownNameError

RELAXATIONS = ("none", "wd")


@dataclass(frozen=True)
class Dpop:
    """Finds an optimum with messages exponential in the width of the pseudo tree.

    A tree whose messages do not fit into the memory limit is refused before any is made, or
    relaxed as by ``wd`` until they fit. The tree alone decides how much work there is: a time limit
    ends only the rounds of a relaxation.
    """

    heuristic: str = "min-fill"
    """The heuristic of the pseudo tree: one of ``orders.CHOICES``."""
    relax: str = "none"
    """What to do where the memory does not suffice: one of ``RELAXATIONS``."""
    propagate: Propagate = propagate
    """The sender of the messages of a pass."""
    name: ClassVar[str] = "dpop"

    def __post_init__(self) -> None:
        if self.relax not in RELAXATIONS:
            raise UnknownNameError("relaxation", self.relax, RELAXATIONS)

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the optimum, or the proof that nothing is feasible."""
        watch = Stopwatch()
        network = ConstraintNetwork.of(problem, objective.may_leave_out)
        tree = make_tree(network, self.heuristic, limits.seed)
        if self.relax == "wd" and not _fits(tree, network.sizes, limits):
            width = _width_that_fits(network.sizes, limits)
            relaxed = WidthDeletion(width, heuristic=self.heuristic, propagate=self.propagate)
            return relaxed.solve(problem, objective, limits)
        stages = Stages(network, tree, [job.value for job in problem.jobs], limits, self.propagate)
        found = stages.optimise(objective)
        starts = found.starts(len(problem.jobs))
        return Solution(
            problem,
            starts,
            self.name,
            objective,
            bound=measure(objective.first, problem, starts) if found.values else None,
            messages=MessageStatistics.together(stages.passes),
            wall_s=watch.elapsed_s,
            ending="finished" if found.values else "infeasible",
        )


def _fits(tree: PseudoTree, sizes: list[int], limits: Limits) -> bool:
    return messages_of_pass(tree, sizes, LARGEST_CELL_BYTES).bytes <= memory_bytes(limits)


def _width_that_fits(sizes: list[int], limits: Limits) -> int:
    """Return the largest width at which no tree can need more memory than there is."""
    cells = memory_bytes(limits) // ((LARGEST_CELL_BYTES + BYTES_PER_VALUE) * len(sizes))
    width = 1
    while max(sizes) ** (width + 1) <= cells and width < len(sizes):
        width += 1
    return width
