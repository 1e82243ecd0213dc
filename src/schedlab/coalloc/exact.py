"""The exact reference: CP-SAT on intervals that must not overlap."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from schedlab.coalloc.bounds import best_bound
from schedlab.coalloc.integral import integral_values
from schedlab.coalloc.objective import Criterion, Objective
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.restart import RestartGreedy
from schedlab.coalloc.solution import Ending, Solution, Starts
from schedlab.coalloc.solver import Limits, Stopwatch
from schedlab.errors import MissingExtraError

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_HINT_RESTARTS = 100


@dataclass(frozen=True)
class CpSat:
    """Complete search with OR-tools; criteria after the first in stages, each earlier one fixed.

    It begins with what a short restart greedy finds, so that it always has an answer. The bound is
    proven even where time ends the search.
    """

    name: ClassVar[str] = "cpsat"

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the optimum, or the best found in time with its bound."""
        watch = Stopwatch(limits.time_s)
        hint = RestartGreedy(_HINT_RESTARTS).solve(problem, objective, limits)
        model = _Model(problem, objective)
        starts, bound, ending = hint.starts, hint.bound, hint.ending
        for criterion in objective.criteria if ending == "finished" else ():
            stage = model.optimise(criterion, starts, limits, watch.left_s)
            ending, starts = stage.ending, stage.starts or starts
            if criterion == objective.first and stage.bound is not None:
                bound = best_bound(problem, criterion, stage.bound)
            if ending != "finished":
                break
        return Solution(
            problem, starts, self.name, objective, bound, wall_s=watch.elapsed_s, ending=ending
        )


@dataclass(frozen=True)
class _Stage:
    """The result of one search."""

    starts: Starts | None
    bound: float | None
    ending: Ending


class _Model:
    """The variables of a problem, and one criterion after the other on them."""

    def __init__(self, problem: Problem, objective: Objective) -> None:
        try:
            from ortools.sat.python import cp_model
        except ImportError:
            raise MissingExtraError("ortools", "coalloc") from None
        self._problem, self._model = problem, cp_model.CpModel()
        self._starts: list[Any] = []
        self._present: list[Any] = []
        intervals = [self._interval(job, objective) for job in range(len(problem.jobs))]
        for users in problem.users():
            self._model.add_no_overlap(intervals[job] for job in users)

    def optimise(self, criterion: Criterion, hint: Starts, limits: Limits, left_s: float) -> _Stage:
        """Search for the best by one criterion, then keep to what was found."""
        if left_s <= 0:
            return _Stage(None, None, "time-limit")
        cost, scale = self._cost(criterion)
        self._model.minimize(cost)
        self._hint(hint)
        solver, status, interrupted = _search(self._model, limits, left_s)
        if status == "INFEASIBLE":
            return _Stage(None, None, "infeasible")
        ending = _ending(status, interrupted)
        if status == "UNKNOWN":
            return _Stage(None, None, ending)
        self._model.add(cost <= round(solver.objective_value))
        bound = solver.best_objective_bound / (-scale if criterion == "value" else scale)
        return _Stage(self._found(solver), bound, ending)

    def _interval(self, job: int, objective: Objective) -> Any:
        """Return the job's interval; it may be absent where jobs may be left out."""
        model, domain = self._model, self._problem.domain(job)
        start = model.new_int_var(domain.start, max(domain.start, domain.stop - 1), "")
        present = model.new_bool_var("")
        if not domain:
            model.add(present == 0)
        if not objective.may_leave_out:
            model.add(present == 1)
        self._starts.append(start)
        self._present.append(present)
        slots = self._problem.jobs[job].slots
        return model.new_optional_fixed_size_interval_var(start, slots, present, "")

    def _cost(self, criterion: Criterion) -> tuple[Any, float]:
        """Return the cost to minimise, in whole numbers, and how many make one of the criterion."""
        if criterion == "value":
            values, scale = integral_values([job.value for job in self._problem.jobs])
            kept = (value * each for value, each in zip(values, self._present, strict=True))
            return -sum(kept), scale
        if criterion == "makespan":
            makespan = self._model.new_int_var(0, self._problem.slots, "")
            for job, start, present in self._variables():
                self._model.add(makespan >= start + job.slots - 1).only_enforce_if(present)
            return makespan, 1.0
        counted = [self._model.new_int_var(0, self._problem.slots, "") for _ in self._starts]
        for count, (_, start, present) in zip(counted, self._variables(), strict=True):
            self._model.add(count == start).only_enforce_if(present)
        return sum(counted), 1.0

    def _variables(self) -> Any:
        return zip(self._problem.jobs, self._starts, self._present, strict=True)

    def _hint(self, starts: Starts) -> None:
        self._model.clear_hints()
        for known, start, present in zip(starts, self._starts, self._present, strict=True):
            self._model.add_hint(present, known is not None)
            if known is not None:
                self._model.add_hint(start, known)

    def _found(self, solver: cp_model.CpSolver) -> Starts:
        return tuple(
            solver.value(start) if solver.value(present) else None
            for _, start, present in self._variables()
        )


def _ending(status: str, interrupted: bool) -> Ending:
    if status == "OPTIMAL":
        return "finished"
    return "interrupted" if interrupted else "time-limit"


def _search(
    model: cp_model.CpModel, limits: Limits, left_s: float
) -> tuple[cp_model.CpSolver, str, bool]:
    """Return the solver after its search, its status, and whether Ctrl-C ended it."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = limits.threads
    solver.parameters.random_seed = limits.seed
    solver.parameters.catch_sigint_signal = False
    solver.parameters.max_time_in_seconds = left_s
    with ThreadPoolExecutor(1) as pool:
        # The search has its own thread, so that this one receives Ctrl-C.
        searching, interrupted = pool.submit(solver.solve, model), False
        try:
            searching.result()
        except KeyboardInterrupt:
            interrupted = True
            solver.stop_search()
        return solver, solver.status_name(searching.result()), interrupted
