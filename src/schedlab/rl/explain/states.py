"""Situations that a policy meets in its episodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.policies.learned.agent import Actions, Masks, Observations
from schedlab.rl.agent import TorchAgent


@dataclass(frozen=True)
class VisitedStates:
    """A row per situation: what the agent saw, what made sense, and in which episode."""

    observation: Observations
    mask: Masks
    episode: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.observation)

    def take(self, which: NDArray[np.bool_]) -> VisitedStates:
        """Return the situations that are selected."""
        return VisitedStates(self.observation[which], self.mask[which], self.episode[which])


def fcfs_choice(mask: Masks) -> Actions:
    """Return what first come, first served with EASY does: the first action that makes sense.

    Where the agent orders jobs that is the head, then the first job that the guard lets pass;
    where it picks them, the first that fits.
    """
    first: Actions = mask.argmax(axis=1)
    return first


class Visitor:
    """Plays as the agent does, and keeps some of the situations in which there is a choice.

    It keeps the same number from each episode, each with equal chances (reservoir sampling).
    """

    def __init__(self, agent: TorchAgent, per_episode: int, random: np.random.Generator) -> None:
        self.agent, self.per_episode, self.random = agent, per_episode, random
        self._seen: NDArray[np.int64] | None = None

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return what the agent chooses."""
        if self._seen is None:
            self._make_room(observation, mask)
        self._keep(observation, mask)
        return self.agent.choose(observation, mask)

    def states(self) -> VisitedStates:
        """Return the situations kept."""
        assert self._seen is not None, "an episode has been played"
        kept = np.arange(self.per_episode) < self._seen[:, None]
        episode = np.broadcast_to(np.arange(len(kept))[:, None], kept.shape)
        return VisitedStates(self._observation[kept], self._mask[kept], episode[kept])

    def _make_room(self, observation: Observations, mask: Masks) -> None:
        count, room = len(observation), self.per_episode
        self._seen = np.zeros(count, np.int64)
        self._observation = np.zeros((count, room, observation.shape[1]), np.float32)
        self._mask = np.zeros((count, room, mask.shape[1]), np.uint8)

    def _keep(self, observation: Observations, mask: Masks) -> None:
        assert self._seen is not None
        place = self.random.integers(self._seen + 1)
        place = np.where(self._seen < self.per_episode, self._seen, place)
        choice = mask.sum(axis=1) > 1 if self.agent.masked else np.ones(len(mask), bool)
        (rows,) = np.nonzero(choice & (place < self.per_episode))
        self._observation[rows, place[rows]] = observation[rows]
        self._mask[rows, place[rows]] = mask[rows]
        self._seen += choice
