"""A solver on a drawn problem as a task of an engine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from schedlab.coalloc import Limits, Problem, Solution, find_solver, solve
from schedlab.coalloc.network import ConstraintNetwork
from schedlab.coalloc.orders import make_tree
from schedlab.coalloc.pseudotree import PseudoTree
from schedlab.errors import MemoryLimitError
from schedlab.experiments.coallocation.instance import InstanceRecipe, draw
from schedlab.experiments.coallocation.measures import SolverAnswer, find_measure
from schedlab.experiments.engine import TaskOutcome
from schedlab.workload import Workload


@dataclass(frozen=True, kw_only=True)
class SolverTask:
    """Draw a problem, let a solver answer it, and measure the answer."""

    key: str
    name: str
    recipe: InstanceRecipe
    solver: str
    limits: Limits
    metrics: tuple[str, ...]
    workload: ClassVar[None] = None

    @property
    def outside(self) -> tuple[str, ...]:
        """The solver."""
        return (self.solver,)

    def compute(self, workload: Workload | None = None) -> TaskOutcome:
        """Return the measures of the answer; a refusal of the solver is an answer, too."""
        instance = draw(self.recipe)
        began = time.perf_counter()
        solution = self._solution(instance.problem)
        wall_s = time.perf_counter() - began
        answer = SolverAnswer(instance, solution, self._tree(instance.problem))
        return TaskOutcome(
            key=self.key,
            name=self.name,
            values={name: find_measure(name).formula(answer) for name in self.metrics},
            jobs=len(instance.problem.jobs),
            wall_s=wall_s,
        )

    def _solution(self, problem: Problem) -> Solution | None:
        try:
            return solve(problem, self.solver, self.recipe.objective, self.limits)
        except MemoryLimitError:
            return None

    def _tree(self, problem: Problem) -> PseudoTree | None:
        """Return the tree that the solver's heuristic makes of the whole problem.

        None if the solver has no heuristic.
        """
        heuristic = getattr(find_solver(self.solver), "heuristic", None)
        if heuristic is None:
            return None
        # Whether jobs may be left out changes domains, but neither edges nor the tree.
        return make_tree(
            ConstraintNetwork.of(problem, may_leave_out=False), heuristic, self.limits.seed
        )
