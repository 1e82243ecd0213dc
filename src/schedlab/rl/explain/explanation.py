"""What an explanation says, and how much work goes into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schedlab.errors import ParameterError
from schedlab.rl.explain.estimate import Estimate, as_json
from schedlab.rl.explain.importance import GroupImportance


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much is played and computed.

    Args:
        episodes: played, by the policy as it is and again with each group shuffled.
        states: situations to explain, of all episodes together.
        baselines: visited situations that each is compared with by integrated gradients.
        seed: of everything drawn.
        threads: for the environments.
    """

    episodes: int = 20
    states: int = 200
    baselines: int = 5
    seed: int = 1_000_000
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("episodes", "states", "baselines", "threads"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is {getattr(self, name)}; must be >= 1")
        if self.seed < 0:
            raise ParameterError(f"seed is {self.seed}; must be >= 0")


@dataclass(frozen=True)
class Explanation:
    """What each group of inputs does to the decisions and to what comes of them.

    Args:
        groups: of the inputs; then the position in the queue; then all that is predicted at once.
        states: situations that were explained.
        departures: share of them in which FCFS would have chosen otherwise.
        results: of the policy as it is, by name.
        completeness_error: of the integrated gradients, as a share of what they explain.
        rank_agreement: of gradients and shuffling on the order of the groups, from -1 to 1.
        randomised_agreement: of the explanations with those of networks that have learnt nothing,
            from -1 to 1; near 0 they show what was learnt.
        answer: whether the policy uses the prediction, in a sentence.
    """

    groups: tuple[GroupImportance, ...]
    states: int
    departures: Estimate
    results: Mapping[str, Estimate]
    completeness_error: float
    rank_agreement: float
    randomised_agreement: float
    answer: str

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as values for JSON."""
        checks = ("completeness_error", "rank_agreement", "randomised_agreement")
        return {
            "answer": self.answer,
            "states": self.states,
            "departures": as_json(self.departures),
            "results": {name: as_json(each) for name, each in self.results.items()},
            "checks": {name: as_json(getattr(self, name)) for name in checks},
            "groups": [group.to_dict() for group in self.groups],
        }
