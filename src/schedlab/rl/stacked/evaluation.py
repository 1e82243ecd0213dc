"""Greedy episodes of many networks at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from schedlab.rl.cuda_graphs import captured
from schedlab.rl.stacked.batch import PopulationBatch
from schedlab.rl.stacked.population import Population


class Evaluation:
    """The episodes by which the networks of a population are judged."""

    def __init__(self, population: Population, threads: int) -> None:
        """Record the launch for all episodes, which must not be done beside other threads."""
        members = population.members
        section = members[0].config.evaluation
        self.networks, self._each = len(members), section.episodes
        self._batch = PopulationBatch(
            members[0].settings,
            [member.held_out for member in members],
            section.episodes,
            seeds=[section.seed] * len(members),
            threads=threads,
        )
        self._choose = _greedy(population, self._batch)

    def run(self) -> list[dict[str, float]]:
        """Return means over each network's episodes, as ``schedlab.rl.agent.evaluate`` does."""
        batch = self._batch
        batch.begin()
        returns = np.zeros(batch.size)
        results: dict[int, dict[str, float]] = {}
        while len(results) < batch.size:
            finished = batch.step(self._choose())
            returns += batch.reward
            for place in map(int, finished):
                results.setdefault(place, {"return": float(returns[place]), **batch.result(place)})
                batch.reset(place)
        return [self._means(results, network) for network in range(self.networks)]

    def _means(self, results: dict[int, dict[str, float]], network: int) -> dict[str, float]:
        places = range(network * self._each, (network + 1) * self._each)
        own = [results[place] for place in places]
        return {key: float(np.mean([each[key] for each in own])) for key in own[0]}


def _greedy(population: Population, batch: PopulationBatch) -> Callable[[], NDArray[np.int64]]:
    """Return a function that gives each network's best actions, in single precision."""
    networks, device = population.networks, population.device
    masked = population.members[0].config.greedy_masked
    pinned, count = device.type == "cuda", len(population.members)
    seen = torch.zeros(batch.observation.shape, pin_memory=pinned)
    allowed = torch.zeros(batch.mask.shape, dtype=torch.uint8, pin_memory=pinned)
    batch.observation, batch.mask = seen.numpy(), allowed.numpy()
    chosen = torch.zeros(batch.size, dtype=torch.long, pin_memory=pinned)
    parts = networks.parts(networks.learnt, 0, count)

    @torch.no_grad()
    def act() -> None:
        shown = seen.to(device, non_blocking=True).view(count, -1, seen.shape[1])
        missing = networks.inputs - seen.shape[1]
        scores = networks.scores(parts, torch.nn.functional.pad(shown, (0, missing)))
        if masked:
            mask = allowed.to(device, non_blocking=True).view(scores.shape)
            scores = scores.masked_fill(mask == 0, -torch.inf)
        chosen.view(count, -1).copy_(scores.argmax(-1), non_blocking=True)

    now = captured(act, device, list)

    def choose() -> NDArray[np.int64]:
        now()
        if pinned:
            torch.cuda.current_stream(device).synchronize()
        actions: NDArray[np.int64] = chosen.numpy()
        return actions

    return choose
