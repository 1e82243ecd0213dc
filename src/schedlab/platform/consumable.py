"""What the whole site has and jobs hold while they run: licences, watts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from schedlab.errors import PlatformError
from schedlab.platform.checks import require_count, require_word


@dataclass(frozen=True)
class CapacityStep:
    """The capacity from that time on, in seconds on the clock of the workload."""

    at_s: int
    capacity: int

    def __post_init__(self) -> None:
        require_count("at_s", self.at_s)
        require_count("capacity", self.capacity)


@dataclass(frozen=True)
class Consumable:
    """Something countable that belongs to no node.

    Args:
        name: the name that jobs give, such as ``matlab`` or ``watts``.
        capacity: how much there is at time 0.
        steps: how the capacity changes, in order of time.
    """

    name: str
    capacity: int
    steps: tuple[CapacityStep, ...] = ()

    def __post_init__(self) -> None:
        require_word("name of a consumable", self.name)
        require_count("capacity", self.capacity)
        times = [step.at_s for step in self.steps]
        for before, after in pairwise(times):
            if after <= before:
                raise PlatformError(f"step at {after} s after one at {before} s; must come later")

    @property
    def most(self) -> int:
        """The most there ever is."""
        return max([self.capacity, *(step.capacity for step in self.steps)])
