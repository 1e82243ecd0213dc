"""List scheduling in many orders: the control for all other solvers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from schedlab.coalloc.bounds import best_bound
from schedlab.coalloc.greedy import ORDERS, list_schedule, usual_order
from schedlab.coalloc.objective import Objective
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.solution import Ending, Solution
from schedlab.coalloc.solver import Limits, Stopwatch

RESTARTS = 2000
"""The number of restarts, where neither this nor a time limit is given."""

_SHAKE = 0.5
"""Standard deviation of the logarithm of the factor on each job's weight."""


@dataclass(frozen=True)
class RestartGreedy:
    """Repeats greedy with each job's weight multiplied by a log-normal factor; keeps the best.

    It ends at the number of restarts, at the time limit, or when a bound is reached.
    """

    restarts: int | None = None
    """None: as many as the time limit allows, or ``RESTARTS`` without one."""
    name: ClassVar[str] = "restart-greedy"

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the best of many passes over the jobs, the first of them greedy's."""
        watch, rng = Stopwatch(limits.time_s), np.random.default_rng(limits.seed)
        bound = best_bound(problem, objective.first)
        weights = np.log(np.maximum(ORDERS[usual_order(objective)](problem), 1e-9))
        best = list_schedule(problem, np.argsort(-weights, kind="stable").tolist())
        best_key, done = objective.key(problem, best), 0
        ending: Ending = "finished"
        try:
            while done < self._restarts(limits):
                if len(objective.criteria) == 1 and objective.reached(best_key, bound):
                    break
                if watch.expired:
                    ending = "time-limit"
                    break
                shaken = weights + _SHAKE * rng.standard_normal(len(weights))
                starts = list_schedule(problem, np.argsort(-shaken).tolist())
                key = objective.key(problem, starts)
                done += 1
                if key < best_key:
                    best, best_key = starts, key
        except KeyboardInterrupt:
            ending = "interrupted"
        return Solution(
            problem,
            best,
            self.name,
            objective,
            bound,
            wall_s=watch.elapsed_s,
            ending=ending,
            counters={"restarts": done},
        )

    def _restarts(self, limits: Limits) -> float:
        if self.restarts is not None:
            return self.restarts
        return RESTARTS if limits.time_s is None else float("inf")
