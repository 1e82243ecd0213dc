"""An agent: anything that chooses one action per situation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Observations = NDArray[np.float32]
Masks = NDArray[np.uint8]
Actions = NDArray[np.int64]


class Decider(Protocol):
    """Chooses actions: a network, or a network that sees something else."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action per row, each a situation.

        The mask is 0 where an action makes no sense.
        """
        ...


class GreedyAgent(ABC):
    """Takes the action with the highest score; if masked, of those that make sense."""

    def __init__(self, *, masked: bool) -> None:
        self.masked = masked

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Nothing changes while it decides: forks of a simulation share it."""
        return self

    @abstractmethod
    def scores(self, observation: Observations) -> Observations:
        """Return one number per row and action."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action per row, of equals the first."""
        actions: Actions = self.allowed_scores(observation, mask).argmax(axis=1)
        return actions

    def allowed_scores(self, observation: Observations, mask: Masks) -> Observations:
        """Return the scores; if masked, no action that makes no sense can have the highest."""
        scores = self.scores(observation)
        return np.where(mask == 0, np.float32(-np.inf), scores) if self.masked else scores


class SamplingAgent:
    """Draws actions by the probabilities that another agent's scores, as logits, stand for."""

    def __init__(self, agent: GreedyAgent, seed: int) -> None:
        self.agent, self._random = agent, np.random.default_rng(seed)

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Draw one action per row."""
        scores = self.agent.allowed_scores(observation, mask)
        # The highest of logits with Gumbel noise is a draw from their softmax.
        actions: Actions = (scores + self._random.gumbel(size=scores.shape)).argmax(axis=1)
        return actions
