"""Width deletion: DPOP after a relaxation that bounds the width of the pseudo tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.narrowing import MessageBound, delete_edges
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.objective import Objective
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.propagation import Propagate, propagate
from schedlab.coalloc.rounds import Rounds
from schedlab.coalloc.solution import Solution
from schedlab.coalloc.solver import Limits, Stopwatch
from schedlab.coalloc.stages import Stages
from schedlab.errors import ParameterError, UnknownNameError

FORMS = ("safe", "published")


@dataclass(frozen=True)
class WidthDeletion:
    """Bounds the width of the pseudo tree by restricting domains, then solves by DPOP.

    As published, edges are deleted and an end of each gets the first slots; often nothing is
    feasible after that. The safe form fixes jobs at their earliest free slots and shifts the
    solution to the left, in rounds that never lose what an earlier one has found.
    """

    width: int = 5
    form: str = "safe"
    heuristic: str = "min-fill"
    """The heuristic of the pseudo tree: one of ``orders.CHOICES``."""
    rounds: int = 200
    """The maximum number of rounds of the safe form; it also ends when a bound is reached."""
    cells: int | None = None
    """The maximum number of cells of a message, in place of the width; for the safe form."""
    propagate: Propagate = propagate
    """The sender of the messages of a pass."""
    name: ClassVar[str] = "wd"

    def __post_init__(self) -> None:
        for what in ("width", "cells", "rounds"):
            value = getattr(self, what)
            if value is not None and value < 1:
                raise ParameterError(f'solver "wd": {what} is {value}; must be >= 1')
        if self.form not in FORMS:
            raise UnknownNameError("form of wd", self.form, FORMS)
        if self.form == "published" and self.cells is not None:
            raise ParameterError('solver "wd": as published it bounds the width; leave out cells')

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the best solution of the relaxed problem that is found."""
        if self.form == "published":
            return self._as_published(problem, objective, limits)
        rounds = Rounds(
            problem,
            objective,
            limits,
            MessageBound(self.width, self.cells),
            self.heuristic,
            propagate=self.propagate,
        )
        return rounds.run(self.rounds)

    def _as_published(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        watch = Stopwatch()
        whole = ConstraintNetwork.of(problem, objective.may_leave_out)
        wide = make_tree(whole, self.heuristic, limits.seed)
        network, tree = delete_edges(whole, wide, self.width)
        values = [job.value for job in problem.jobs]
        stages = Stages(network, tree, values, limits, self.propagate)
        starts = stages.optimise(objective).starts(len(problem.jobs))
        return Solution(
            problem,
            starts,
            self.name,
            objective,
            messages=MessageStatistics.together(stages.passes),
            wall_s=watch.elapsed_s,
            counters={
                "deleted edges": whole.edges - network.edges,
                "width before": wide.width,
                "width after": tree.width,
            },
        )
