"""A network that decides greedily."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np
import torch

from schedlab.policies.learned.agent import Decider, GreedyAgent, Observations
from schedlab.rl.environments import Settings, environment_of
from schedlab.rl.networks import ActorCritic, action_scores
from schedlab.workload.episodes import Episodes

__all__ = ["Decider", "TorchAgent", "evaluate", "play"]

FEW = 32
"""With fewer situations than this, one thread computes their scores."""


class TorchAgent(GreedyAgent):
    """Agent that decides greedily by the scores of a torch network."""

    def __init__(self, policy: ActorCritic, *, masked: bool) -> None:
        super().__init__(masked=masked)
        self.policy = policy

    def scores(self, observation: Observations) -> Observations:
        """Return one score per row and action."""
        with torch.inference_mode(), few_threads(len(observation)):
            seen = torch.from_numpy(observation).to(self.policy.device)
            scores: Observations = action_scores(self.policy, seen).cpu().numpy()
        return scores


def few_threads(situations: int) -> AbstractContextManager[None]:
    """Return a context in which a few situations are scored by one thread."""
    return _one_thread() if situations < FEW else nullcontext()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit torch to one thread: fast enough for a few situations, and sums are always the same."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def evaluate(
    agent: Decider,
    settings: Settings,
    episodes: Episodes,
    count: int,
    *,
    seed: int,
    threads: int = 1,
) -> dict[str, float]:
    """Return means over the agent's episodes: the return, and the results of the batch."""
    played = play(agent, settings, episodes, count, seed=seed, threads=threads)
    return {key: float(np.mean([each[key] for each in played])) for key in played[0]}


def play(
    agent: Decider,
    settings: Settings,
    episodes: Episodes,
    count: int,
    *,
    seed: int,
    threads: int = 1,
) -> list[dict[str, float]]:
    """Return these numbers for each episode; the same seed plays the same jobs."""
    batch = environment_of(settings).batch(episodes, count, threads=threads)
    batch.seed(seed)
    for place in range(count):
        batch.reset(place)
    returns = np.zeros(count)
    results: dict[int, dict[str, float]] = {}
    while len(results) < count:
        finished = batch.step(agent.choose(batch.observation, batch.mask))
        returns += batch.reward
        for place in map(int, finished):
            results.setdefault(place, {"return": float(returns[place]), **batch.result(place)})
            batch.reset(place)
    return [results[place] for place in range(count)]
