"""What a solution optimises: total value, makespan, sum of starts, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from schedlab.coalloc.problem import Problem
from schedlab.errors import ParameterError, UnknownNameError

Criterion = Literal["value", "makespan", "sum-of-starts"]

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


@dataclass(frozen=True)
class Objective:
    """Criteria in lexicographic order: a later one decides among those equal in the earlier.

    The value is maximised, makespan and sum of starts are minimised. With the value first jobs may
    be left out; otherwise all jobs must be scheduled.
    """

    criteria: tuple[Criterion, ...] = ("value",)

    def __post_init__(self) -> None:
        if not self.criteria:
            raise ParameterError(f"an objective needs a criterion: {', '.join(CRITERIA)}")
        for criterion in self.criteria:
            if criterion not in CRITERIA:
                raise UnknownNameError("objective", criterion, CRITERIA)
        if len(set(self.criteria)) < len(self.criteria):
            raise ParameterError(f'objective "{self}" names a criterion twice')
        if "value" in self.criteria[1:]:
            raise ParameterError(
                f'objective "{self}": value must come first, else all jobs have to be scheduled '
                "and the value is fixed"
            )

    @classmethod
    def parse(cls, text: str) -> Objective:
        """Return the objective written as ``value`` or ``value,makespan``."""
        return cls(tuple(cast(Criterion, word.strip()) for word in text.split(",")))

    @property
    def first(self) -> Criterion:
        """The first criterion, to which bound and gap refer."""
        return self.criteria[0]

    @property
    def may_leave_out(self) -> bool:
        """Whether a solution may leave jobs unscheduled."""
        return self.first == "value"

    def key(self, problem: Problem, starts: Sequence[int | None]) -> tuple[float, ...]:
        """Return a key that compares starts without overlaps: the smallest is the best.

        Where all jobs must be scheduled, the number of jobs left out counts before everything else.
        """
        left_out = 0 if self.may_leave_out else sum(start is None for start in starts)
        return (left_out, *(_cost(criterion, problem, starts) for criterion in self.criteria))

    def reached(self, key: tuple[float, ...], bound: float) -> bool:
        """Return whether a bound proves that the first criterion cannot get better."""
        left_out, cost = key[:2]
        return left_out == 0 and cost <= (-bound if self.first == "value" else bound)

    def __str__(self) -> str:
        return ",".join(self.criteria)


def measure(criterion: Criterion, problem: Problem, starts: Sequence[int | None]) -> float:
    """Measure the starts by one criterion; jobs without a start do not count."""
    scheduled = [
        (job, start) for job, start in zip(problem.jobs, starts, strict=True) if start is not None
    ]
    if criterion == "value":
        return math.fsum(job.value for job, _ in scheduled)
    if criterion == "makespan":
        return max((start + job.slots - 1 for job, start in scheduled), default=0)
    return sum(start for _, start in scheduled)


def _cost(criterion: Criterion, problem: Problem, starts: Sequence[int | None]) -> float:
    found = measure(criterion, problem, starts)
    return -found if criterion == "value" else found
