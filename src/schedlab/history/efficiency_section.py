"""Which use counts as poor: ``[efficiency]`` of the site file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

from schedlab.errors import ParameterError


class Level(StrEnum):
    """How well something was used."""

    POOR = "poor"
    FAIR = "fair"
    GOOD = "good"


@dataclass(frozen=True, kw_only=True)
class EfficiencySection:
    """``[efficiency]``: which share of what a job asked for is too little.

    Below a share the use is poor, below twice the share it is fair. With a share of 0, the use is
    not judged.

    Args:
        cpu: share of the CPUs' time.
        memory: share of the requested memory.
        gpu: share of the GPUs' time.
        gpu_memory: share of the GPUs' memory.
        time: share of the requested time.
        energy: share of what the nodes draw when they are busy.
        shortest_s: jobs with a shorter run time are not judged.
    """

    cpu: float = 0.25
    memory: float = 0.25
    gpu: float = 0.25
    gpu_memory: float = 0.1
    time: float = 0.1
    energy: float = 0.0
    shortest_s: int = 600

    def __post_init__(self) -> None:
        for each in fields(self)[:-1]:
            if not 0 <= getattr(self, each.name) <= 1:
                given = getattr(self, each.name)
                raise ParameterError(f"{each.name} is {given:g}; must be from 0 to 1")
        if self.shortest_s < 0:
            raise ParameterError(f"shortest_s is {self.shortest_s}; must be >= 0")

    def levels(
        self, shares: Mapping[str, float | None], run_s: float | None
    ) -> dict[str, Level | None]:
        """Return the level of each of a job's shares, by kind; None where it is not judged.

        A job that keeps its GPUs busy need not keep its CPUs busy.
        """
        found = {kind: self._level(kind, share, run_s) for kind, share in shares.items()}
        if found.get("gpu") is Level.GOOD:
            found["cpu"] = None
        return found

    def _level(self, kind: str, share: float | None, run_s: float | None) -> Level | None:
        if share is None or run_s is None or run_s < self.shortest_s:
            return None
        limit: float = getattr(self, kind)
        if limit == 0:
            return None
        return Level.POOR if share < limit else Level.FAIR if share < 2 * limit else Level.GOOD
