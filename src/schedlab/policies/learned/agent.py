"""Who decides: anything that chooses one action per situation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Observations = NDArray[np.float32]
Masks = NDArray[np.uint8]
Actions = NDArray[np.int64]


class Decider(Protocol):
    """Whoever chooses actions: a network, or a network that is shown something else."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """One action per row, each a situation; the mask is 0 where an action makes no sense."""
        ...


class GreedyAgent(ABC):
    """Takes the action with the highest score; if masked, of those that make sense."""

    def __init__(self, *, masked: bool) -> None:
        self.masked = masked

    @abstractmethod
    def scores(self, observation: Observations) -> Observations:
        """One number per row and action."""

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """One action per row, of equals the first."""
        scores = self.scores(observation)
        if self.masked:
            scores = np.where(mask == 0, np.float32(-np.inf), scores)
        actions: Actions = scores.argmax(axis=1)
        return actions
