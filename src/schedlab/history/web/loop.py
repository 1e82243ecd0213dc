"""The interface to the loop that steers a site's Slurm; the service is given an implementation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class LoopStep:
    """A step of the loop.

    Args:
        at: when it was done, in epoch seconds.
        round: the number of the round.
        name: the name of the step.
        policy: the policy that it was about.
        digest: the digest of that policy.
        text: the outcome.
    """

    at: float
    round: int
    name: str
    policy: str
    digest: str
    text: str


@dataclass(frozen=True)
class LoopEffect:
    """The change that a policy made to the mean wait, or would have made.

    Args:
        at: when it was known, in epoch seconds.
        round: the number of the round.
        name: the step that found it: tested, shadowed or watched.
        policy: the policy.
        change: the change of the mean wait, as a share; below 0 is shorter.
        interval: its 95 % interval; None if there were too few jobs to tell.
    """

    at: float
    round: int
    name: str
    policy: str
    change: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class LoopState:
    """The state of the loop.

    Args:
        round: the number of the round; 0 before the first.
        last: the last step.
        steers: the policy that steers; empty for none.
        is_on: whether priorities are changed at this moment.
        question: the policy that waits for an answer; empty for none.
        effect: the last known effect, in words; empty if none is known.
        steps: all steps, the newest first.
        effects: all known effects, the oldest first.
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
        """Return the state of the loop; None if no loop has run."""

    def answer(self, yes: bool, who: str, code: str) -> None:
        """Answer the loop's question; the loop accepts the answer if the code is right."""

    def stop(self, who: str) -> None:
        """Ask the loop to stop steering."""
