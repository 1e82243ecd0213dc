"""The constraint network of a problem: jobs as variables, overlap forbidden along edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from schedlab.coalloc.problem import Problem

LEFT_OUT = 0
"""The value of a job that is not scheduled; slots count from 1."""

Domain = NDArray[np.int32]
Neighbours = tuple[frozenset[int], ...]


@dataclass(frozen=True)
class Variable:
    """A job as a variable: the first slots it may have, ascending, and the slots it takes."""

    starts: Domain
    slots: int

    def beside(self, other: Variable, start: int) -> NDArray[np.bool_]:
        """Return which values do not overlap with the other job at that start."""
        if start == LEFT_OUT:
            return np.ones(len(self.starts), dtype=bool)
        before = self.starts + self.slots <= start
        after = self.starts >= start + other.slots
        free: NDArray[np.bool_] = before | after | (self.starts == LEFT_OUT)
        return free

    def until(self, last_slot: int) -> NDArray[np.bool_]:
        """Return which values use no slot after ``last_slot``."""
        in_time: NDArray[np.bool_] = self.starts + (self.slots - 1) <= last_slot
        in_time |= self.starts == LEFT_OUT
        return in_time

    @property
    def usable(self) -> int:
        """The slots it may use, as bits."""
        used = (1 << self.slots) - 1
        return reduce(or_, (used << start for start in self.starts.tolist() if start), 0)

    def keep(self, kept: NDArray[np.bool_]) -> Variable:
        """Return the same job with these values only."""
        return replace(self, starts=np.ascontiguousarray(self.starts[kept]))


@dataclass(frozen=True)
class ConstraintNetwork:
    """Variables, and for each one those it must not overlap with (events as variables, EAV).

    The relaxations narrow it: they take values out of domains and edges out of the graph, so that
    a solution of what is left is one of the problem.
    """

    variables: tuple[Variable, ...]
    neighbours: Neighbours
    jobs: tuple[int, ...] = ()
    """Which jobs of the problem these are; empty: all, in their order."""

    @classmethod
    def of(cls, problem: Problem, may_leave_out: bool) -> ConstraintNetwork:
        """Return the whole problem; a job that may be left out has one value more."""
        extra = [LEFT_OUT] if may_leave_out else []
        variables = tuple(
            Variable(np.array([*extra, *problem.domain(place)], dtype=np.int32), job.slots)
            for place, job in enumerate(problem.jobs)
        )
        return cls(variables, problem.conflicts())

    @property
    def sizes(self) -> list[int]:
        """How many values each variable has."""
        return [len(variable.starts) for variable in self.variables]

    @property
    def edges(self) -> int:
        """How many pairs must not overlap."""
        return sum(map(len, self.neighbours)) // 2

    def keep(self, kept: Sequence[NDArray[np.bool_]]) -> ConstraintNetwork:
        """Keep only these values of each job."""
        pairs = zip(self.variables, kept, strict=True)
        return replace(self, variables=tuple(each.keep(mask) for each, mask in pairs))

    def with_fixed(self, job: int, start: int) -> ConstraintNetwork:
        """Fix the job at that start; its neighbours then avoid it, so it needs no edges."""
        own = self.variables[job]
        changed = {
            other: self.variables[other].keep(self.variables[other].beside(own, start))
            for other in self.neighbours[job]
        }
        changed[job] = own.keep(own.starts == start)
        return self._with(changed).without_edges((job, other) for other in self.neighbours[job])

    def with_domain(self, job: int, kept: NDArray[np.bool_]) -> ConstraintNetwork:
        """Keep only these values of the job."""
        return self._with({job: self.variables[job].keep(kept)})

    def without_edges(self, edges: Iterable[tuple[int, int]]) -> ConstraintNetwork:
        """Return the same variables with fewer edges."""
        left = list(map(set, self.neighbours))
        for one, other in edges:
            left[one].discard(other)
            left[other].discard(one)
        return replace(self, neighbours=tuple(map(frozenset, left)))

    def without_void_edges(self) -> ConstraintNetwork:
        """Keep edges only where the domains allow an overlap."""
        usable = [variable.usable for variable in self.variables]
        neighbours = tuple(
            frozenset(other for other in others if usable[job] & usable[other])
            for job, others in enumerate(self.neighbours)
        )
        return replace(self, neighbours=neighbours)

    def among(self, jobs: Sequence[int]) -> ConstraintNetwork:
        """Return the network of these jobs alone, numbered in this order."""
        place = {job: new for new, job in enumerate(jobs)}
        return ConstraintNetwork(
            tuple(self.variables[job] for job in jobs),
            tuple(
                frozenset(place[other] for other in self.neighbours[job] if other in place)
                for job in jobs
            ),
            tuple(self.jobs[job] if self.jobs else job for job in jobs),
        )

    def _with(self, changed: dict[int, Variable]) -> ConstraintNetwork:
        variables = tuple(changed.get(job, each) for job, each in enumerate(self.variables))
        return replace(self, variables=variables)
