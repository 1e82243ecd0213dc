"""What a policy would have done with a history: rehearse, measure, compare with no steering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schedlab.live.guards import Guards
from schedlab.live.rehearsal import rehearse
from schedlab.policies import find_policy
from schedlab.slurm.fidelity import Mask
from schedlab.slurm.measures import Guard, Measure
from schedlab.slurm.periods import interval_of_change, periods_of
from schedlab.slurm.replay import TwinReplay, phases_of, replay_all
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.tuning.proposal import GuardResult
from schedlab.slurm.tuning.trial import always_started, cost_of, mean_of
from schedlab.slurm.what_if import WhatIfRow, change, compare_replays, losers_of


@dataclass(frozen=True)
class PolicyVerdict:
    """The result of the test of a policy.

    Args:
        policy: its name.
        jobs: number of jobs that were compared.
        before: the metric without steering.
        after: the metric with steering.
        interval: the 95 % interval of the relative change over periods; None for too few.
        guards: each guard, kept or broken.
        rows: waits by partition, QOS, account and size.
    """

    policy: str
    jobs: int
    before: float
    after: float
    interval: tuple[float, float] | None
    guards: tuple[GuardResult, ...]
    rows: tuple[WhatIfRow, ...]

    @property
    def difference(self) -> float:
        """The relative change of the metric."""
        return change(self.before, self.after)

    def why_not(self, least_gain: float, *, significant: bool = True) -> str:
        """Return why the policy is not taken; empty if it is.

        Args:
            least_gain: the share by which the metric must shrink.
            significant: whether its whole interval must be below 0.
        """
        broken = [each.guard for each in self.guards if not each.holds]
        if broken:
            return f"it breaks the guard {broken[0]}"
        if self.difference > -least_gain:
            return f"it gains {-self.difference:.1%}, and {least_gain:.1%} are wanted"
        if significant and self.interval is not None and self.interval[1] >= 0:
            return f"its gain of {-self.difference:.1%} may be chance"
        return ""

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as an entry for the log."""
        return {
            "policy": self.policy,
            "jobs": self.jobs,
            "without": round(self.before, 3),
            "with_it": round(self.after, 3),
            "difference": round(self.difference, 5),
            "interval": None if self.interval is None else [round(x, 5) for x in self.interval],
            "guards": {each.guard: each.holds for each in self.guards},
            "losers": losers_of(self.rows),
        }


@dataclass
class Judge:
    """Rehearses policies on a site, each under the same phases.

    Args:
        site: the site with the jobs that count.
        metric: the metric to minimise.
        keep: bounds that a policy must keep.
        guards: the guards of steering.
        every_s: the length of one period.
        phases: number of draws of phases.
        seed: seed of these draws.
        tell: called again and again during a rehearsal.
    """

    site: SlurmSite
    metric: Measure
    keep: Sequence[Guard]
    guards: Guards
    every_s: float
    phases: int
    seed: int
    tell: Callable[[], object] = lambda: None

    def __post_init__(self) -> None:
        self._clocks = phases_of(self.site, self.phases, self.seed)
        self._before = replay_all(self.site, self._clocks)
        self._counted = always_started(self.site, self._before)
        self._known: dict[str, list[TwinReplay]] = {}

    def cost(self, policy: str) -> float:
        """Return the metric relative to no steering, plus a penalty for broken bounds.

        A cost below 1 is good.
        """
        return cost_of(self.keep, self._values(self._after(policy)), self._values(self._before))

    def verdict(self, policy: str) -> PolicyVerdict:
        """Compare a policy with no steering."""
        after = self._after(policy)
        new, old = self._values(after), self._values(self._before)
        checks = [
            GuardResult(str(guard), then, now, guard.bound(then))
            for guard, now, then in zip(self.keep, new[1:], old[1:], strict=True)
        ]
        rows = compare_replays(self.site, self._before, after, self._counted).rows
        periods = periods_of(self.site)
        counted = self.metric.jobs(self.site) & self._counted

        def measured(mask: Mask) -> tuple[float, float]:
            was, is_now = (
                mean_of(self.site, self.metric, each, mask) for each in (self._before, after)
            )
            return was, is_now

        interval = interval_of_change(periods, counted, measured)
        return PolicyVerdict(
            policy, int(counted.sum()), old[0], new[0], interval, tuple(checks), tuple(rows)
        )

    def _after(self, policy: str) -> list[TwinReplay]:
        if policy not in self._known:
            chosen = find_policy(policy)
            self._known[policy] = [
                rehearse(self.site, chosen, self.guards, clocks, self.every_s, self.tell).replay
                for clocks in self._clocks
            ]
        return self._known[policy]

    def _values(self, replays: Sequence[TwinReplay]) -> list[float]:
        measures = [self.metric, *(each.measure for each in self.keep)]
        return [mean_of(self.site, each, replays, self._counted) for each in measures]
