"""The attempts of jobs: what they did each time that they held nodes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Why(IntEnum):
    """Why an attempt ended."""

    COMPLETED = 1
    KILLED = 2
    """The job reached its request."""
    OUTAGE = 3
    """An announced outage began."""
    FAILURE = 4
    """A node failed."""
    PREEMPTED = 5
    """Another job took its nodes, and it gave up work since its last checkpoint."""
    SUSPENDED = 6
    """Another job took its nodes, and it waits for them with all its work."""


@dataclass(frozen=True)
class Attempt:
    """One time that a job held nodes.

    ``lost_s`` is the work, of this attempt and those before it, that no attempt after it has.
    """

    job: int
    number: int
    start_s: int
    end_s: int
    why: Why
    lost_s: int
    nodes: tuple[int, ...]


def checkpointed_s(work_s: int, interval_s: int) -> int:
    """Return the work at the last checkpoint; 0 if there are none."""
    return work_s - work_s % interval_s if interval_s else 0
