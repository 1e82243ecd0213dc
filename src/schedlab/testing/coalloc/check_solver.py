"""The conformance test for solvers of co-allocation: the rules every solver must keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from schedlab.coalloc import (
    CoallocJob,
    Limits,
    Objective,
    Problem,
    Solution,
    Solver,
    generate_problem,
)
from schedlab.coalloc import find_solver as named_solver
from schedlab.coalloc.generate import KINDS
from schedlab.coalloc.objective import measure
from schedlab.coalloc.solution import Starts
from schedlab.errors import SolverError
from schedlab.testing.coalloc.plain_solvers import brute_force

OBJECTIVES = ("value", "makespan", "sum-of-starts", "value,makespan")

_ROUNDING = 1e-9


def check_solver(solver: str | Solver, *, problems: Sequence[Problem] | None = None) -> None:
    """Run a solver on small problems; raise SolverError with a sentence if it breaks a rule.

    A solver need not find the optimum, nor a feasible schedule where all jobs must be scheduled;
    but what it says must be true.

    Args:
        solver: a name such as ``lns:moves=50``, or an object with the method ``solve``.
        problems: what to run it on, small enough to try everything; by default a few of each kind.
    """
    chosen = named_solver(solver) if isinstance(solver, str) else solver
    for problem in small_problems() if problems is None else problems:
        for objective in map(Objective.parse, OBJECTIVES):
            first, again = (chosen.solve(problem, objective, Limits(seed=7)) for _ in range(2))
            for broken in _broken(first, again):
                raise SolverError(
                    f"{broken}; solver {chosen.name} broke this on problem "
                    f'"{problem.name}" with objective {objective}'
                )


def small_problems() -> list[Problem]:
    """Return problems in which all jobs fit or not, with ties, and with jobs that fit nowhere."""
    drawn = [
        generate_problem(5, kind=kind, resources=3, slots=4, seed=seed)
        for kind in KINDS
        for seed in range(3)
    ]
    tight = [one_resource(2, 2, 1, slots=slots, values=(4.0, 4.0, 0.5)) for slots in (1, 4, 5)]
    return [figure_1(slots=3), *tight, *drawn]


def _broken(found: Solution, again: Solution) -> Iterator[str]:
    """Yield the rules that the answer breaks, as sentences."""
    if len(found.starts) != len(found.problem.jobs):
        yield "an answer must have a start, or None, for each job"
        return
    if any(not fault.startswith("not scheduled") for fault in found.faults):
        yield f"a schedule must not have overlaps or starts outside a domain: {found.faults[0]}"
    if found.starts != again.starts:
        yield "the same seed must give the same answer"
    optimum = _optimum(found.problem, found.objective)
    if optimum is None:
        return
    if found.ending == "infeasible":
        yield "infeasible must be said only of problems that are"
    if found.bound is not None and _too_tight(found, found.bound, optimum):
        yield f"a bound must not be tighter than the optimum, but is {found.bound}"


def _too_tight(found: Solution, bound: float, optimum: Starts) -> bool:
    best = measure(found.objective.first, found.problem, optimum)
    missing = best - bound if found.objective.first == "value" else bound - best
    return missing > _ROUNDING


@cache
def _optimum(problem: Problem, objective: Objective) -> Starts | None:
    return brute_force(problem, objective)


def figure_1(slots: int = 20) -> Problem:
    """Return the paper's five jobs of one slot, which need AB, AF, BCD, BDF and CE."""
    needs = ("AB", "AF", "BCD", "BDF", "CE")
    jobs = tuple(
        CoallocJob(f"E{at}", tuple("ABCDEF".index(letter) for letter in need), 1)
        for at, need in enumerate(needs, 1)
    )
    return Problem(tuple("ABCDEF"), jobs, slots)


def one_resource(*lengths: int, slots: int, values: tuple[float, ...] = ()) -> Problem:
    """Return jobs of these lengths that all need the same resource."""
    worth = values or (1.0,) * len(lengths)
    pairs = zip(lengths, worth, strict=True)
    jobs = (CoallocJob(f"E{at}", (0,), *pair) for at, pair in enumerate(pairs, 1))
    return Problem(("R",), tuple(jobs), slots)
