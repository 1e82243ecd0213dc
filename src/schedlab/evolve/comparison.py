"""Comparison, on held-out episodes, of the evolved policy with rules that sites would use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from schedlab.evolve.arena import Arena
from schedlab.evolve.objective import Goal, Values
from schedlab.evolve.scene import Episode
from schedlab.metrics.intervals import Interval, bootstrap_interval
from schedlab.policies.evolved import EvolvedPolicy, Priority

RULES = tuple(
    f"{order}+easy"
    for order in ("fcfs", "sjf", "ljf", "saf", "laf", "f1", "f2", "f3", "f4", "wfp3", "unicef")
)


@dataclass(frozen=True)
class ComparedRule:
    """A rule's mean of one metric, and how the evolved policy differs on the same episodes."""

    policy: str
    mean: float
    difference: float
    interval: Interval
    """95 % bootstrap interval of the mean difference."""


@dataclass(frozen=True)
class HeldOutComparison:
    """The values of the evolved policy and of the rules in the same held-out episodes."""

    goals: tuple[Goal, ...]
    evolved: Values
    rules: Mapping[str, Values]

    def means(self, policy: str | None = None) -> dict[str, float]:
        """Return the means by metric: of a rule, or of the evolved policy."""
        values = self.evolved if policy is None else self.rules[policy]
        names = [goal.name for goal in self.goals]
        return dict(zip(names, values.mean(axis=0).tolist(), strict=True))

    def compared_rules(self, goal: Goal) -> Iterator[ComparedRule]:
        """Yield the rules, the best first."""
        column = self.goals.index(goal)
        evolved = self.evolved[:, column]
        means = {policy: float(each[:, column].mean()) for policy, each in self.rules.items()}
        for policy in sorted(means, key=lambda name: goal.sign * means[name]):
            differences = (evolved - self.rules[policy][:, column]).tolist()
            interval = bootstrap_interval(differences)
            assert interval is not None, "a comparison has at least two episodes"
            mean_difference = sum(differences) / len(differences)
            yield ComparedRule(policy, means[policy], mean_difference, interval)


def compare(arena: Arena, priority: Priority, episodes: Sequence[Episode]) -> HeldOutComparison:
    """Measure the policy and the rules in these episodes."""
    (evolved,) = arena.measure([partial(EvolvedPolicy, priority)], episodes)
    rules = dict(zip(RULES, arena.measure_named(RULES, episodes), strict=True))
    return HeldOutComparison(arena.objective.goals, evolved, rules)
