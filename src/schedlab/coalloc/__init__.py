"""Co-allocation: jobs that need several clusters at once, and solvers that schedule them."""

from __future__ import annotations

from dataclasses import replace

from schedlab.coalloc.bounds import best_bound, proves_infeasible
from schedlab.coalloc.dpop import RELAXATIONS, Dpop
from schedlab.coalloc.exact import CpSat
from schedlab.coalloc.generate import generate_problem
from schedlab.coalloc.greedy import ORDERS, Greedy, left_shift, list_schedule
from schedlab.coalloc.lns import Lns
from schedlab.coalloc.messages import MessageStatistics
from schedlab.coalloc.minibucket import quick_minibucket_bound
from schedlab.coalloc.objective import Objective
from schedlab.coalloc.orders import CHOICES as TREES
from schedlab.coalloc.prices import lp_bound
from schedlab.coalloc.problem import CoallocJob, Problem
from schedlab.coalloc.read import read_problem
from schedlab.coalloc.restart import RestartGreedy
from schedlab.coalloc.solution import Solution
from schedlab.coalloc.solver import Limits, Solver, SolverEntry
from schedlab.coalloc.split import WAYS, Split
from schedlab.coalloc.wd import FORMS, WidthDeletion
from schedlab.coalloc.write import write_problem
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.lookup import import_object, is_import_path, parse_parameters
from schedlab.workload.arguments import one_of, switch, whole_number

__all__ = [
    "SOLVERS",
    "CoallocJob",
    "Limits",
    "MessageStatistics",
    "Objective",
    "Problem",
    "Solution",
    "Solver",
    "SolverEntry",
    "find_solver",
    "generate_problem",
    "left_shift",
    "list_schedule",
    "read_problem",
    "solve",
    "write_problem",
]

SOLVERS: dict[str, SolverEntry] = {
    "dpop": SolverEntry(
        "Finds an optimum by dynamic programming along a pseudo tree; refuses wide trees.",
        "Petcu & Faltings, IJCAI 2005",
        Dpop,
        {"heuristic": one_of(*TREES), "relax": one_of(*RELAXATIONS)},
    ),
    "wd": SolverEntry(
        "Runs DPOP on a tree of bounded width, made narrow by restricting domains.",
        "after Namekata, Matsui & Matsuo",
        WidthDeletion,
        {
            "width": whole_number,
            "cells": whole_number,
            "form": one_of(*FORMS),
            "heuristic": one_of(*TREES),
            "rounds": whole_number,
        },
    ),
    "split": SolverEntry(
        "Runs DPOP on one part of the jobs after another.",
        "after Namekata, Matsui & Matsuo",
        Split,
        {
            "parts": whole_number,
            "by": one_of(*WAYS),
            "shift": switch,
            "heuristic": one_of(*TREES),
        },
    ),
    "greedy": SolverEntry(
        "Places jobs in one order, each as early as possible; one that does not fit is left out.",
        "list scheduling, textbook",
        Greedy,
        {"order": one_of(*ORDERS)},
    ),
    "restart-greedy": SolverEntry(
        "Repeats greedy in randomly changed orders; keeps the best schedule.",
        "control for all others",
        RestartGreedy,
        {"restarts": whole_number},
    ),
    "lns": SolverEntry(
        "Frees a few conflicting jobs and places them optimally by DPOP; repeats this.",
        "after Shaw, CP 1998",
        Lns,
        {"jobs": whole_number, "cells": whole_number, "moves": whole_number},
    ),
    "cpsat": SolverEntry(
        "Searches completely with OR-tools: the exact reference.",
        "Perron & Didier, OR-tools",
        CpSat,
    ),
}


def find_solver(text: str) -> Solver:
    """Return the solver given as ``name``, ``name:key=value,...`` or ``package.module:Class``."""
    name, _, rest = text.partition(":")
    if name in SOLVERS:
        entry = SOLVERS[name]
        return entry.make(**parse_parameters("solver", name, rest, entry.parameters))
    if not is_import_path(text):
        raise UnknownNameError("solver", name, SOLVERS)
    found = import_object("solver", text)
    solver: Solver = found() if isinstance(found, type) else found
    if not hasattr(solver, "solve"):
        raise ParameterError(f'"{text}" has no method solve(problem, objective, limits)')
    return solver


def solve(
    problem: Problem,
    solver: str | Solver = "cpsat",
    objective: str | Objective = "value",
    limits: Limits | None = None,
) -> Solution:
    """Return the solver's answer to the problem, with the best bound known.

    Args:
        problem: the problem to solve.
        solver: a name from ``SOLVERS``, such as ``lns`` or ``wd:width=5``, or a solver.
        objective: criteria in lexicographic order, such as ``value`` or ``value,makespan``.
        limits: time, memory, threads and seed.
    """
    wanted = Objective.parse(objective) if isinstance(objective, str) else objective
    chosen = find_solver(solver) if isinstance(solver, str) else solver
    name = solver if isinstance(solver, str) else chosen.name
    if not wanted.may_leave_out and proves_infeasible(problem):
        nothing = (None,) * len(problem.jobs)
        bound = best_bound(problem, wanted.first)
        return Solution(problem, nothing, name, wanted, bound, ending="infeasible")
    found = chosen.solve(problem, wanted, limits or Limits())
    return replace(found, solver=name, bound=_tightened(found))


def _tightened(found: Solution) -> float:
    """Return the best bound known; slower bounds are tried only where faster ones leave a gap."""
    problem, criterion = found.problem, found.objective.first
    bound = best_bound(problem, criterion, found.bound)
    for further in (lp_bound, quick_minibucket_bound):
        if not replace(found, bound=bound).gap:  # proven, or not feasible
            break
        bound = best_bound(problem, criterion, bound, further(problem, criterion))
    return bound
