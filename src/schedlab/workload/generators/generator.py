"""The contract of a generator: a number of jobs from a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from schedlab.workload.workload import Workload


class WorkloadGenerator(Protocol):
    """A model that jobs can be drawn from."""

    def generate(self, jobs: int, seed: int = 0) -> Workload:
        """Generate a number of jobs; the same seed gives the same workload."""
        ...


@dataclass(frozen=True)
class GeneratorEntry:
    """One row of the table of generators.

    ``parameters`` says which keyword arguments of ``make`` can be written as text, and how each is
    read.
    """

    summary: str
    make: Callable[..., WorkloadGenerator]
    parameters: Mapping[str, Callable[[str], object]] = field(default_factory=dict)
