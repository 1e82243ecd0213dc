"""Drawn problems with their optima."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from schedlab.coalloc import Limits, Problem, Solution, generate_problem, solve
from schedlab.errors import ParameterError

MAX_DRAWS = 1_000
BETWEEN_DRAWS = 1_000_000
"""The distance between the generator's seeds of a problem and of the one drawn in its place."""


@dataclass(frozen=True)
class InstanceRecipe:
    """What determines an instance."""

    kind: str
    jobs: int
    resources: int
    slots: int
    objective: str
    seed: int
    time_s: float | None = None
    """The time limit of the search for the optimum."""

    def problem(self, draw: int) -> Problem:
        """Return the problem of that draw, counted from 0."""
        return generate_problem(
            self.jobs,
            kind=self.kind,
            resources=self.resources,
            slots=self.slots,
            seed=self.seed + draw * BETWEEN_DRAWS,
        )


@dataclass(frozen=True)
class Instance:
    """A problem, the best solution that complete search finds, and how often it was drawn."""

    problem: Problem
    best: Solution
    draws: int

    @property
    def optimum(self) -> float:
        """The optimum of the objective's first criterion; if it is not proven, the bound."""
        assert self.best.bound is not None
        return self.best.bound

    @property
    def proven(self) -> bool:
        """Whether the optimum is known, and not only a bound."""
        return self.best.gap == 0


@lru_cache(maxsize=16)
def draw(recipe: InstanceRecipe) -> Instance:
    """Return the first problem drawn that complete search solves, kept for the next solver.

    If all jobs must be scheduled, instances in which they do not fit are drawn again.
    """
    limits = Limits(time_s=recipe.time_s)
    for place in range(MAX_DRAWS):
        problem = recipe.problem(place)
        best = solve(problem, "cpsat", recipe.objective, limits)
        if best.feasible:
            return Instance(problem, best, place + 1)
    raise ParameterError(
        f"{recipe.jobs} jobs do not fit into {recipe.slots} slots in any of {MAX_DRAWS:,} problems "
        f"of kind {recipe.kind}; take fewer jobs or more slots"
    )
