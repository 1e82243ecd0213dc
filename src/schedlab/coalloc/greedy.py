"""List scheduling: jobs in some order, each at the earliest slot where its resources are free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from schedlab.coalloc.objective import Objective
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.solution import Solution, Starts
from schedlab.coalloc.solver import Limits, Stopwatch
from schedlab.coalloc.timetable import Timetable
from schedlab.errors import UnknownNameError


def _density(problem: Problem) -> list[float]:
    return [job.value / (job.slots * len(job.resources)) for job in problem.jobs]


def _value(problem: Problem) -> list[float]:
    return [job.value for job in problem.jobs]


def _work(problem: Problem) -> list[float]:
    """Return how many slots each job and its neighbours ask for together."""
    slots = [job.slots for job in problem.jobs]
    return [
        slots[job] + sum(slots[other] for other in others)
        for job, others in enumerate(problem.conflicts())
    ]


ORDERS: dict[str, Callable[[Problem], list[float]]] = {
    "density": _density,
    "value": _value,
    "work": _work,
}
"""The weights by which jobs are sorted, the largest first."""


def usual_order(objective: Objective) -> str:
    """Return ``density`` if value comes first, else ``work``: the most contended jobs first."""
    return "density" if objective.first == "value" else "work"


@dataclass(frozen=True)
class Greedy:
    """Places jobs in one order, each as early as possible; a job that does not fit is left out."""

    order: str | None = None
    """One of ``ORDERS``; None: the usual one for the objective."""
    name: ClassVar[str] = "greedy"

    def __post_init__(self) -> None:
        if self.order is not None and self.order not in ORDERS:
            raise UnknownNameError("order", self.order, ORDERS)

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Make one pass over the jobs."""
        watch = Stopwatch()
        weights = ORDERS[self.order or usual_order(objective)](problem)
        order = sorted(range(len(weights)), key=lambda job: -weights[job])
        starts = list_schedule(problem, order)
        return Solution(problem, starts, self.name, objective, wall_s=watch.elapsed_s)


def list_schedule(problem: Problem, order: Sequence[int]) -> Starts:
    """Return starts: each job in turn gets its earliest free start.

    A job that does not fit any more gets None.
    """
    timetable = Timetable(problem)
    starts: list[int | None] = [None] * len(problem.jobs)
    for job in order:
        start = timetable.earliest(job)
        if start is not None:
            timetable.place(job, start)
            starts[job] = start
    return tuple(starts)


def left_shift(problem: Problem, starts: Sequence[int | None]) -> Starts:
    """Return the same jobs, each moved as early as those before it let it; no start gets later."""
    scheduled = [(start, job) for job, start in enumerate(starts) if start is not None]
    return list_schedule(problem, [job for _, job in sorted(scheduled)])
