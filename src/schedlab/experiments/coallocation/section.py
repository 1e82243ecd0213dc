"""``[coalloc]``: an experiment whose cells are solvers on drawn co-allocation problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schedlab.coalloc import Limits, Objective, find_solver
from schedlab.coalloc.generate import KINDS
from schedlab.errors import InputError, ParameterError, UnknownNameError
from schedlab.sections import build
from schedlab.units import parse_bytes, parse_duration


@dataclass(frozen=True, kw_only=True)
class SolverSection:
    """An entry of ``solvers``: a solver, and its name in tables."""

    name: str
    solver: str

    def __post_init__(self) -> None:
        find_solver(self.solver)


@dataclass(frozen=True, kw_only=True)
class CoallocSection:
    """``[coalloc]`` without its solvers: kinds × numbers of jobs, with a problem for every seed.

    Args:
        kinds: how the resources of a job are drawn, as ``schedlab coalloc generate`` names it.
        jobs: numbers of jobs of a problem; each number is a variant.
        resources: number of resources.
        slots: number of slots; the time domain is 1 to this.
        objective: criteria in lexicographic order. Where all jobs must be scheduled, a problem is
            drawn again until they fit.
        memory: what the messages of a solver may need; one that needs more refuses the problem.
        time_limit: the time of one solver on one problem; without it results do not depend on the
            machine.
    """

    kinds: tuple[str, ...]
    jobs: tuple[int, ...]
    resources: int = 15
    slots: int = 20
    objective: str = "value"
    memory: str | None = None
    time_limit: str | None = None

    def __post_init__(self) -> None:
        if not self.kinds or not self.jobs:
            raise ParameterError("kinds and jobs must not be empty")
        for kind in self.kinds:
            if kind not in KINDS:
                raise UnknownNameError("kind of problem", kind, KINDS)
        for key, least in (("jobs", 1), ("resources", 2), ("slots", 1)):
            value = getattr(self, key)
            if (min(value) if key == "jobs" else value) < least:
                raise ParameterError(f"{key} is {value}; must be >= {least}")
        Objective.parse(self.objective)
        self.limits(seed=0)

    def limits(self, seed: int) -> Limits:
        """Return what a solver may spend."""
        return Limits(
            time_s=None if self.time_limit is None else parse_duration(self.time_limit),
            memory_bytes=None if self.memory is None else parse_bytes(self.memory),
            seed=seed,
        )


def read_coalloc(given: Any) -> tuple[CoallocSection, tuple[SolverSection, ...]]:
    """Read ``[coalloc]`` of a document, and its solvers."""
    if not isinstance(given, Mapping):
        raise InputError("write [coalloc] once, with single brackets")
    solvers = given.get("solvers", [])
    if not isinstance(solvers, list):
        raise InputError(f"[coalloc]: solvers is {solvers!r}; must be a list")
    rest = {key: value for key, value in given.items() if key != "solvers"}
    return build(CoallocSection, rest, "[coalloc]"), tuple(map(_solver, solvers))


def _solver(given: Any) -> SolverSection:
    """Read a solver; a text is both the solver and its name."""
    if isinstance(given, str):
        given = {"solver": given}
    if isinstance(given, Mapping) and "solver" in given:
        given = {"name": given["solver"], **given}
    return build(SolverSection, given, "[coalloc]: solvers")
