"""A network on a GPU that decides greedily, with one launch per decision."""

from __future__ import annotations

import numpy as np
import torch

from schedlab.policies.learned.agent import Observations
from schedlab.rl.agent import TorchAgent
from schedlab.rl.cuda_graphs import captured
from schedlab.rl.networks import ActorCritic, action_scores


class DeviceAgent(TorchAgent):
    """Agent that always scores the same number of situations; its network must not change."""

    def __init__(self, policy: ActorCritic, situations: int, *, masked: bool) -> None:
        """Record the launch for this number of situations."""
        super().__init__(policy, masked=masked)
        device = policy.device
        shape = situations, int(np.prod(policy.observation_space.shape or (1,)))
        on_gpu = device.type == "cuda"
        self._device = device
        self._seen = torch.zeros(shape, pin_memory=on_gpu)
        actions = int(policy.action_space.n)  # type: ignore[attr-defined]
        self._scores = torch.zeros((situations, actions), pin_memory=on_gpu)
        self._score = captured(self._work, device, list)

    @torch.no_grad()
    def _work(self) -> None:
        seen = self._seen.to(self._device, non_blocking=True)
        self._scores.copy_(action_scores(self.policy, seen), non_blocking=True)

    def scores(self, observation: Observations) -> Observations:
        """Return one score per row and action."""
        self._seen.numpy()[:] = observation
        self._score()
        if self._device.type == "cuda":
            torch.cuda.current_stream(self._device).synchronize()
        scores: Observations = self._scores.numpy()
        return scores
