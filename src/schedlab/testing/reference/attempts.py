"""The attempts of jobs: what they did each time that they held nodes."""

from __future__ import annotations

from typing import NamedTuple

from schedlab.sim import WhyEnded


class Attempt(NamedTuple):
    """One time that a job held nodes.

    ``lost_s`` is the work, of this attempt and earlier ones, that no later attempt has.
    """

    job: int
    number: int
    start_s: int
    end_s: int
    why: WhyEnded
    lost_s: int
    nodes: tuple[int, ...]


def checkpointed_s(work_s: int, interval_s: int) -> int:
    """Return the work at the last checkpoint; 0 if there are none."""
    return work_s - work_s % interval_s if interval_s else 0
