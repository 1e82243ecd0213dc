"""All solutions of a small problem, tried one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from schedlab.coalloc import Objective, Problem
from schedlab.coalloc.solution import Starts


def brute_force(problem: Problem, objective: Objective) -> Starts | None:
    """The best starts by the objective, the first of equals; None if nothing is feasible."""
    return min(
        feasible_starts(problem, objective.may_leave_out),
        key=lambda starts: objective.key(problem, starts),
        default=None,
    )


def feasible_starts(problem: Problem, may_leave_out: bool) -> Iterator[Starts]:
    """Every choice of starts without overlaps."""
    extra = [None] if may_leave_out else []
    domains = [[*extra, *problem.domain(job)] for job in range(len(problem.jobs))]
    pairs = [
        pair
        for pair in combinations(range(len(problem.jobs)), 2)
        if set(problem.jobs[pair[0]].resources) & set(problem.jobs[pair[1]].resources)
    ]
    for starts in product(*domains):
        if not any(_overlap(problem, starts, *pair) for pair in pairs):
            yield starts


def _overlap(problem: Problem, starts: Starts, one: int, other: int) -> bool:
    first, second = starts[one], starts[other]
    if first is None or second is None:
        return False
    return first < second + problem.jobs[other].slots and second < first + problem.jobs[one].slots
