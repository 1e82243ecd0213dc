"""A network that decides greedily."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from schedlab.rl.batch import QueueBatch
from schedlab.rl.episodes import Episodes
from schedlab.rl.networks import ActorCritic, action_scores
from schedlab.rl.settings import QueueSettings


class Agent:
    """Takes the action with the highest score; if masked, of those that make sense."""

    def __init__(self, policy: ActorCritic, *, masked: bool) -> None:
        self.policy, self.masked = policy, masked

    def choose(
        self, observation: NDArray[np.float32], mask: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        """One action per row."""
        with torch.inference_mode():
            scores = action_scores(self.policy, torch.from_numpy(observation))
            if self.masked:
                scores = scores.masked_fill(torch.from_numpy(mask == 0), -torch.inf)
            actions: NDArray[np.int64] = scores.argmax(dim=1).numpy()
        return actions


def evaluate(
    agent: Agent,
    settings: QueueSettings,
    episodes: Episodes,
    count: int,
    *,
    seed: int,
    threads: int = 1,
) -> dict[str, float]:
    """Means over so many greedy episodes: the return, and what ``QueueBatch.result`` tells."""
    batch = QueueBatch(settings, episodes, count, threads=threads)
    batch.seed(seed)
    for place in range(count):
        batch.reset(place)
    returns = np.zeros(count)
    results: dict[int, dict[str, Any]] = {}
    while len(results) < count:
        finished = batch.step(agent.choose(batch.observation, batch.mask))
        returns += batch.reward
        for place in map(int, finished):
            results.setdefault(place, {"return": returns[place], **batch.result(place)})
            batch.reset(place)
    first = next(iter(results.values()))
    return {key: float(np.mean([each[key] for each in results.values()])) for key in first}
