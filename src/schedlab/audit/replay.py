"""The observed jobs replayed under the policy that is said to have scheduled them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.policies import PolicyLike
from schedlab.sim import Schedule, simulate
from schedlab.sim.schedule import Times


@dataclass(frozen=True)
class Replay:
    """An observed schedule beside the policy's for the same jobs.

    Up to the first start that differs both are in the same state, so that start is exactly where
    the observed schedule departs from the policy.
    """

    observed: Schedule
    policy: Schedule
    tick_s: int
    tolerance_s: int

    @property
    def elsewhere(self) -> NDArray[np.bool_]:
        """Which jobs start at another time than under the policy, or in only one of the two."""
        ours, theirs = self.policy.start_s, self.observed.start_s
        in_one_only = (ours >= 0) != (theirs >= 0)
        return np.asarray(in_one_only | (np.abs(ours - theirs) > self.tolerance_s))

    @property
    def departs_s(self) -> Times:
        """For each job the earlier of its two starts."""
        ours, theirs = self.policy.start_s, self.observed.start_s
        return np.where((ours < 0) | ((theirs >= 0) & (theirs < ours)), theirs, ours)

    @property
    def first_s(self) -> int | None:
        """When the first departure happens, None if there is none."""
        times_s = self.departs_s[self.elsewhere]
        return int(times_s.min()) if len(times_s) else None


def replay(
    observed: Schedule, policy: PolicyLike, *, tick_s: int = 0, tolerance_s: int = 0
) -> Replay:
    """Run the observed jobs under the policy, each until its observed end.

    A job that starts within the tolerance of its observed start holds its nodes until its observed
    end, so that small lags do not add up. That run time is known only when the start is known, so
    several rounds are needed. Each round gets the starts right for longer than the one before.
    Without tolerance one round is enough.
    """
    run_s = np.where(observed.started, observed.ran_s, observed.workload["run_s"])
    while True:
        made = simulate(
            observed.workload.replace(run_s=run_s),
            observed.platform,
            policy,
            tick=tick_s,
            kill_at_request=False,
        )
        found = Replay(observed, made, tick_s, tolerance_s)
        settled = made.started & observed.started & ~found.elsewhere
        held_s = np.where(settled, np.maximum(observed.end_s - made.start_s, 0), run_s)
        before = settled if found.first_s is None else settled & (made.start_s < found.first_s)
        if np.array_equal(held_s[before], run_s[before]):
            return found
        run_s = held_s
