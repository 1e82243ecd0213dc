"""Splitting: the jobs in parts, each solved by DPOP around what the parts before have taken."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from schedlab.coalloc.greedy import left_shift
from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.network import LEFT_OUT, ConstraintNetwork
from schedlab.coalloc.objective import Objective
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.propagation import Propagate, propagate
from schedlab.coalloc.solution import Solution
from schedlab.coalloc.solver import Limits, Stopwatch
from schedlab.coalloc.stages import Stages
from schedlab.errors import ParameterError, UnknownNameError

WAYS = ("index", "alternating")


@dataclass(frozen=True)
class Split:
    """Solves one part of the jobs after the other, without the slots taken by earlier parts.

    As published, there are two parts, by index. A part without a solution ends the run: the jobs
    left remain unscheduled.
    """

    parts: int = 2
    by: str = "index"
    shift: bool = False
    """Whether to shift each part to the left before the next is solved."""
    heuristic: str = "min-fill"
    """The heuristic of the pseudo trees: one of ``orders.CHOICES``."""
    propagate: Propagate = propagate
    """The sender of the messages of a pass."""
    name: ClassVar[str] = "split"

    def __post_init__(self) -> None:
        if self.parts < 1:
            raise ParameterError(f'solver "split": parts is {self.parts}; must be >= 1')
        if self.by not in WAYS:
            raise UnknownNameError("way to split", self.by, WAYS)

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return each part's optimum, given those of the parts before."""
        watch = Stopwatch()
        whole = ConstraintNetwork.of(problem, objective.may_leave_out)
        jobs = len(problem.jobs)
        values: dict[int, int] = {}
        passes: list[MessageStatistics] = []
        kept = 0
        for part in self._parts(jobs):
            network = _around(whole, values).among(part)
            kept += network.edges
            tree = make_tree(network, self.heuristic, limits.seed)
            worth = [problem.jobs[job].value for job in part]
            stages = Stages(network, tree, worth, limits, self.propagate)
            found = stages.optimise(objective)
            passes += stages.passes
            if not found.values:
                break
            values |= zip(part, found.values, strict=True)
            if self.shift:
                values = _shifted(problem, values)
        return Solution(
            problem,
            tuple(values.get(job) or None for job in range(jobs)),
            self.name,
            objective,
            messages=MessageStatistics.together(passes),
            wall_s=watch.elapsed_s,
            counters={"deleted edges": whole.edges - kept},
        )

    def _parts(self, jobs: int) -> list[list[int]]:
        """Return the jobs of each part; none is empty."""
        parts = min(self.parts, jobs)
        if self.by == "alternating":
            return [list(range(first, jobs, parts)) for first in range(parts)]
        ends = [jobs * part // parts for part in range(parts + 1)]
        return [list(range(*pair)) for pair in pairwise(ends)]


def _around(network: ConstraintNetwork, values: dict[int, int]) -> ConstraintNetwork:
    """Return the network with these jobs fixed and their slots taken."""
    for job, value in values.items():
        network = network.with_fixed(job, value)
    return network


def _shifted(problem: Problem, values: dict[int, int]) -> dict[int, int]:
    starts = left_shift(problem, [values.get(job) or None for job in range(len(problem.jobs))])
    return {job: starts[job] or LEFT_OUT for job in values}
