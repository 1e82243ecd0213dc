"""A bound from prices: what each slot of each resource is worth, by linear programming.

If every job pays for its slots and may choose its start regardless of all others, no schedule can
be better than what the jobs gain and the slots earn. That holds for any prices that are not
negative (Lagrangian relaxation), so the bound does not rest on the tolerances of the solver of the
linear program, which only finds good prices.
"""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.coalloc.integral import integral_values
from schedlab.coalloc.objective import Criterion
from schedlab.coalloc.problem import Problem
from schedlab.errors import MissingExtraError

Prices = NDArray[np.float64]
"""By resource and slot; column 0 stays empty, as slots count from 1."""

MAX_STARTS = 20_000
"""Of all jobs together: beyond that the linear program takes longer than most solvers."""

_ROUNDING = 1e-9
"""The margin of a bound: relative, and absolute where sums are small."""


def lp_bound(problem: Problem, criterion: Criterion) -> float | None:
    """Return the bound of the linear relaxation; None where it says nothing or would take too long.

    The makespan has none: fractions of jobs in every slot end as soon as the load allows.
    """
    starts = sum(len(problem.domain(job)) for job in range(len(problem.jobs)))
    if criterion == "makespan" or starts > MAX_STARTS or find_spec("ortools") is None:
        return None
    prices = slot_prices(problem, criterion)
    return None if prices is None else price_bound(problem, criterion, prices)


def price_bound(problem: Problem, criterion: Criterion, prices: Prices) -> float:
    """Return the bound that these prices prove; in whole units where values are whole."""
    earned, costs = float(prices.sum()), _costs(problem, prices)
    if criterion == "value":
        values = [job.value for job in problem.jobs]
        _, scale = integral_values(values)
        gains = [
            max(0.0, value - each.min(initial=math.inf))
            for value, each in zip(values, costs, strict=True)
        ]
        units = (math.fsum(gains) + earned) * scale
        return float(np.floor(units + _ROUNDING * (1 + units))) / scale
    lows = [
        (np.array(problem.domain(job)) + each).min(initial=math.inf)
        for job, each in enumerate(costs)
    ]
    total = math.fsum(lows)
    return float(np.ceil(total - earned - _ROUNDING * (1 + total)))


def slot_prices(problem: Problem, criterion: Criterion) -> Prices | None:
    """Return the best prices for total value or sum of starts.

    None if not even fractions of jobs fit.
    """
    try:
        from ortools.linear_solver import pywraplp
    except ImportError:
        raise MissingExtraError("ortools", "coalloc") from None
    program = pywraplp.Solver.CreateSolver("GLOP")
    rows = _rows(program, problem, criterion)
    if program.Solve() != pywraplp.Solver.OPTIMAL:
        return None
    sign = 1 if criterion == "value" else -1
    prices = np.zeros((len(problem.resources), problem.slots + 1))
    for (resource, slot), row in rows.items():
        prices[resource, slot] = max(0.0, sign * row.dual_value())
    return prices


def _rows(program: Any, problem: Problem, criterion: Criterion) -> dict[tuple[int, int], Any]:
    """Fill the program: a variable for each start, and a row for each slot of each resource."""
    goal = program.Objective()
    goal.SetOptimizationDirection(criterion == "value")
    rows = {
        (resource, slot): program.Constraint(-program.infinity(), 1)
        for resource in range(len(problem.resources))
        for slot in range(1, problem.slots + 1)
    }
    for place, job in enumerate(problem.jobs):
        once = program.Constraint(0 if criterion == "value" else 1, 1)
        for start in problem.domain(place):
            chosen = program.NumVar(0, program.infinity(), "")
            goal.SetCoefficient(chosen, job.value if criterion == "value" else start)
            once.SetCoefficient(chosen, 1)
            for slot in range(start, start + job.slots):
                for resource in job.resources:
                    rows[resource, slot].SetCoefficient(chosen, 1)
    return rows


def _costs(problem: Problem, prices: Prices) -> list[NDArray[np.float64]]:
    """Return for each job what each start of its domain costs."""
    until = np.zeros((prices.shape[0], prices.shape[1] + 1))
    np.cumsum(prices, axis=1, out=until[:, 1:])
    costs = []
    for place, job in enumerate(problem.jobs):
        starts = np.array(problem.domain(place), dtype=np.int64)
        paid = until[list(job.resources)]
        costs.append((paid[:, starts + job.slots] - paid[:, starts]).sum(axis=0))
    return costs
