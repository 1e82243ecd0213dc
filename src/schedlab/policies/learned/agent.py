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
    """Chooses an action for each situation; for example a network."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action for each row, which is a situation.

        The mask is 0 where an action makes no sense.
        """
        ...


class GreedyAgent(ABC):
    """Takes the action with the highest score; if masked, only of those that make sense."""

    def __init__(self, *, masked: bool) -> None:
        self.masked = masked

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the agent itself: it does not change, so forks of a simulation share it."""
        return self

    @abstractmethod
    def scores(self, observation: Observations) -> Observations:
        """Return one number per row and action."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action per row, the first of equally good ones."""
        actions: Actions = self.allowed_scores(observation, mask).argmax(axis=1)
        return actions

    def allowed_scores(self, observation: Observations, mask: Masks) -> Observations:
        """Return the scores; if masked, actions that make no sense have minus infinity."""
        scores = self.scores(observation)
        return np.where(mask == 0, np.float32(-np.inf), scores) if self.masked else scores


class SamplingAgent:
    """Draws actions by probabilities, with the scores of another agent as logits."""

    def __init__(self, agent: GreedyAgent, seed: int) -> None:
        self.agent, self._random = agent, np.random.default_rng(seed)

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Draw one action per row."""
        scores = self.agent.allowed_scores(observation, mask)
        # The highest of logits with Gumbel noise is a draw from their softmax.
        actions: Actions = (scores + self._random.gumbel(size=scores.shape)).argmax(axis=1)
        return actions
