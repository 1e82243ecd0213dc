"""The contract of a solver: one method."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from schedlab.coalloc.objective import Objective
from schedlab.coalloc.problem import Problem
from schedlab.coalloc.solution import Solution
from schedlab.errors import ParameterError
from schedlab.units import require_whole

_MOST_SEED = 2**31 - 1  # as CP-SAT has it
_MOST_THREADS = 1024


@dataclass(frozen=True)
class Limits:
    """What a solver may spend, and the seed of its random numbers."""

    time_s: float | None = None
    memory_bytes: int | None = None
    """For the messages of distributed solvers."""
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        if self.time_s is not None and not self.time_s > 0:
            raise ParameterError(f"time limit is {self.time_s} s; must be above 0")
        if self.memory_bytes is not None and require_whole("memory limit", self.memory_bytes) < 1:
            raise ParameterError(f"memory limit is {self.memory_bytes} bytes; must be above 0")
        require_whole("seed", self.seed, 0, _MOST_SEED)
        require_whole("threads", self.threads, 1, _MOST_THREADS)


class Solver(Protocol):
    """Finds starts for the jobs of a problem.

    A solver that is interrupted (``KeyboardInterrupt``) answers with the best it has, if it has
    any, and ``ending="interrupted"``.
    """

    name: ClassVar[str]

    def solve(self, problem: Problem, objective: Objective, limits: Limits) -> Solution:
        """Return the best solution it finds within the limits."""


@dataclass(frozen=True)
class SolverEntry:
    """One line of the table of solvers."""

    sentence: str
    reference: str
    make: Callable[..., Solver]
    """Makes the solver, given its parameters as keywords."""
    parameters: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """What may follow the name, as ``name:key=value``, and how its text is read."""


class Stopwatch:
    """Measures how long a solver has run, and whether its time is over."""

    def __init__(self, limit_s: float | None = None) -> None:
        self._began = time.perf_counter()
        self._limit_s = math.inf if limit_s is None else limit_s

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was made."""
        return time.perf_counter() - self._began

    @property
    def left_s(self) -> float:
        """Seconds until the limit; infinite where there is none."""
        return self._limit_s - self.elapsed_s

    @property
    def expired(self) -> bool:
        """Whether the limit is reached."""
        return self.left_s <= 0
