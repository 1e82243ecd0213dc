"""The answer of a solver: a start for each job, checked, with a bound on what is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from schedlab.coalloc.messages import Learnt, MessageStatistics
from schedlab.coalloc.objective import Criterion, Objective, measure
from schedlab.coalloc.problem import Problem

Starts = tuple[int | None, ...]
Ending = Literal["finished", "time-limit", "interrupted", "infeasible"]

_ROUNDING = 1e-12
"""The relative difference up to which a sum of values equals a bound on it."""


@dataclass(frozen=True)
class Solution:
    """A first slot for each job, or None for a job left out; checked when it is made.

    ``faults`` says in sentences what is wrong with it: overlaps, starts outside a job's domain,
    jobs left out though the objective wants them all. Without faults it is feasible.
    """

    problem: Problem
    starts: Starts
    solver: str
    objective: Objective
    bound: float | None = None
    """No solution is better than this by the objective's first criterion; None: not known."""
    messages: MessageStatistics | None = None
    wall_s: float = 0.0
    ending: Ending = "finished"
    """``infeasible``: the solver has proven that no feasible solution exists."""
    counters: Mapping[str, float] = field(default_factory=dict)
    """What the solver counted, such as restarts or deleted edges."""
    privacy: tuple[Learnt, ...] = ()
    """What each agent learnt of others; empty if there were no agents."""
    faults: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "faults", tuple(self._find_faults()))

    @property
    def feasible(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.faults

    @property
    def value(self) -> float:
        """The sum of the values of the scheduled jobs."""
        return self.measured("value")

    @property
    def makespan(self) -> int:
        """The last slot in use; 0 if nothing is scheduled."""
        return int(self.measured("makespan"))

    @property
    def sum_of_starts(self) -> int:
        """The sum of the first slots of the scheduled jobs."""
        return int(self.measured("sum-of-starts"))

    @property
    def unscheduled(self) -> tuple[int, ...]:
        """The jobs left out."""
        return tuple(place for place, start in enumerate(self.starts) if start is None)

    @property
    def gap(self) -> float | None:
        """The share by which it may at most fall short of the optimum; None: nothing is certified.

        1 - value / bound, or 1 - bound / makespan, and so on: 0 is proven optimal.
        """
        if self.bound is None or not self.feasible:
            return None
        got, bound = self.measured(self.objective.first), self.bound
        worse, better = (got, bound) if self.objective.first == "value" else (bound, got)
        gap = 1 - worse / better if better else 0.0
        return 0.0 if abs(gap) < _ROUNDING else gap

    def measured(self, criterion: Criterion) -> float:
        """Measure the solution by one criterion."""
        return measure(criterion, self.problem, self.starts)

    def overlaps(self) -> list[tuple[int, int]]:
        """Return the pairs of jobs that use a resource in the same slot."""
        pairs = {pair for users in self.problem.users() for pair in combinations(users, 2)}
        return sorted(pair for pair in pairs if self._overlap(*pair))

    def _overlap(self, one: int, other: int) -> bool:
        first, second = self.starts[one], self.starts[other]
        if first is None or second is None:
            return False
        jobs = self.problem.jobs
        return first < second + jobs[other].slots and second < first + jobs[one].slots

    def _find_faults(self) -> Iterator[str]:
        jobs = self.problem.jobs
        if len(self.starts) != len(jobs):
            yield f"{len(self.starts)} starts for {len(jobs)} jobs"
            return
        for place, start in enumerate(self.starts):
            domain = self.problem.domain(place)
            if start is not None and start not in domain:
                yield f'job "{jobs[place].name}" starts in slot {start}; {_allowed(domain)}'
        for one, other in self.overlaps():
            yield f'jobs "{jobs[one].name}" and "{jobs[other].name}" overlap'
        if self.unscheduled and not self.objective.may_leave_out:
            names = ", ".join(jobs[place].name for place in self.unscheduled[:3])
            more = f" and {len(self.unscheduled) - 3} more" if len(self.unscheduled) > 3 else ""
            yield f"not scheduled: {names}{more}"


def _allowed(domain: range) -> str:
    return f"may start in {domain[0]} to {domain[-1]}" if domain else "may not start at all"
