"""What keeps steering harmless: bounds on each change, and breakers that end all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from schedlab.errors import ParameterError
from schedlab.live.departure import MirrorDeparture
from schedlab.live.peer import Bounds
from schedlab.live.queue import LiveJob

LEAST_JOBS = 3
"""An account with fewer waiting jobs says nothing about fairness."""
LEAST_LOSS_S = 600.0
"""An account whose mean wait grows by no more than this has lost nothing."""
LEAST_STARTS = 5
"""With fewer started jobs the twin is not judged."""


@dataclass(frozen=True)
class Guards:
    """Bounds, all on by default.

    Args:
        clamp: the largest change of a priority, up or down.
        lowest: the lowest value that can be set; the scheduler's own bound.
        highest: the highest value that can be set.
        changes: maximum number of changes in one period; returning to 0 is always allowed.
        expire_s: a change that is no longer wanted, or not renewed, ends after this long.
        longest_wait_s: a job that has waited longer is never moved back; if one has waited twice as
            long, steering stops.
        account_loss: the largest share by which the forecast mean wait of an account may grow.
        least_same: the least share of jobs that the twin must have in the same state.
    """

    clamp: int
    lowest: int = Bounds.lowest
    highest: int = Bounds.highest
    changes: int = 100
    expire_s: float = 3600.0
    longest_wait_s: float = 2 * 86_400.0
    account_loss: float = 0.25
    least_same: float = 0.7

    def __post_init__(self) -> None:
        for name, least in (("clamp", 1), ("changes", 1), ("expire_s", 1), ("longest_wait_s", 1)):
            if getattr(self, name) < least:
                raise ParameterError(f"{name} is {getattr(self, name)}; must be at least {least}")
        for name in ("account_loss", "least_same"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} is {getattr(self, name)}; must be from 0 to 1")

    @classmethod
    def of(cls, bounds: Bounds, clamp: int | None, **more: Any) -> Guards:
        """Return guards with a scheduler's own bounds, and its own clamp where none is given."""
        return cls(clamp or bounds.clamp, bounds.lowest, bounds.highest, **more)

    def breaks(self, jobs: Sequence[LiveJob], departure: MirrorDeparture, now: float) -> str:
        """Return why steering must stop; empty if it may go on."""
        wait_s = max((now - job.submit for job in jobs if not job.held), default=0.0)
        if wait_s > 2 * self.longest_wait_s:
            return f"a job has waited {wait_s / 3600:,.1f} h, more than twice the longest wait"
        judged = max(departure.real_starts, departure.twin_starts) >= LEAST_STARTS
        if judged and departure.same < self.least_same:
            return (
                f"the twin has only {departure.same:.0%} of the jobs in the same state; "
                f"{self.least_same:.0%} are needed"
            )
        return ""

    def within(
        self, wished: Mapping[str, int], jobs: Sequence[LiveJob], now: float
    ) -> dict[str, int]:
        """Limit the wanted factors to the bounds; a job that has waited long never moves back."""
        old = {job.handle for job in jobs if now - job.submit > self.longest_wait_s}
        bases = {job.handle: job.base for job in jobs}
        found = {}
        for name, factor in wished.items():
            base = bases.get(name, 0)
            least = 0 if name in old else max(-self.clamp, self.lowest - base)
            found[name] = max(least, min(self.clamp, self.highest - base, factor))
        return found

    def loser(
        self, accounts: Sequence[str], now_s: Sequence[float], then_s: Sequence[float]
    ) -> str:
        """Return which account would lose too much; empty if none would.

        Args:
            accounts: the account of each job.
            now_s: its forecast wait without the changes.
            then_s: the same with the changes.
        """
        waits: Mapping[str, list[tuple[float, float]]] = defaultdict(list)
        for account, before, after in zip(accounts, now_s, then_s, strict=True):
            waits[account].append((before, after))
        for account, pairs in waits.items():
            before, after = np.mean(pairs, axis=0)
            is_more = after > before * (1 + self.account_loss) and after - before > LEAST_LOSS_S
            if len(pairs) >= LEAST_JOBS and is_more:
                return f'account "{account}" would wait {after / max(before, 1) - 1:.0%} longer'
        return ""
