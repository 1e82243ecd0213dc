"""The loop that steers a site's Slurm, as the service shows it; its maker puts one in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class LoopStep:
    """A step of the loop.

    Args:
        at: when it was done, in epoch seconds.
        round: its number.
        name: what it is called.
        policy: that it was about.
        digest: of that policy.
        text: what came of it.
    """

    at: float
    round: int
    name: str
    policy: str
    digest: str
    text: str


@dataclass(frozen=True)
class LoopEffect:
    """What a policy did to the mean wait, or would have done.

    Args:
        at: when it was known, in epoch seconds.
        round: its number.
        name: the step that found it: tested, shadowed or watched.
        policy: whose effect.
        change: of the mean wait, as a share; below 0 is shorter.
        interval: that holds it with 95 %; None where there were too few jobs to tell.
    """

    at: float
    round: int
    name: str
    policy: str
    change: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class LoopState:
    """Where the loop is.

    Args:
        round: its number; 0 before the first.
        last: the last step.
        steers: the policy that steers; empty for none.
        is_on: whether priorities are changed at this moment.
        question: the policy that waits for an answer; empty for none.
        effect: the last known one, in words; empty if none is known.
        steps: all of them, the newest first.
        effects: all that are known, the oldest first.
    """

    round: int
    last: str
    steers: str
    is_on: bool
    question: str
    effect: str
    steps: Sequence[LoopStep]
    effects: Sequence[LoopEffect] = ()


class SiteLoop(Protocol):
    """Reads the loop of a site, and leaves messages for it."""

    def state(self) -> LoopState | None:
        """Return where it is; None where no loop has run."""

    def answer(self, yes: bool, who: str, code: str) -> None:
        """Answer its question; the loop takes it if the code is right."""

    def stop(self, who: str) -> None:
        """Ask it to end the steering."""
