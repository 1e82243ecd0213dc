"""The steps of one rollout of several networks, kept on the device that computes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from schedlab.rl.device_rollout import sums_to_come


class StackedRollout:
    """The steps of a rollout, by network, then step, then environment.

    Observations have one more step: what is seen after the last. Each network has its own random
    generator, the same as if it were trained alone.
    """

    def __init__(
        self,
        generators: Sequence[torch.Generator],
        steps: int,
        envs: int,
        inputs: int,
        actions: int,
        *,
        kind: torch.dtype,
        masked: bool,
    ) -> None:
        """Allocate buffers for this observation space."""
        self._generators, self.steps, self.envs = list(generators), steps, envs
        self.networks, device = len(self._generators), self._generators[0].device
        shape = (self.networks, steps, envs)
        self.step = torch.zeros(1, dtype=torch.long, device=device)
        self.observations = torch.zeros(
            (self.networks, steps + 1, envs, inputs), dtype=kind, device=device
        )
        self.masks = torch.zeros(
            (*shape, actions) if masked else 0, dtype=torch.bool, device=device
        )
        self.actions = torch.zeros(shape, dtype=torch.long, device=device)
        self.log_prob, self.advantages, self.returns, self._chance = (
            torch.zeros(shape, device=device) for _ in range(4)
        )
        self.rewards, self.ended = (
            np.zeros((steps, self.networks, envs), np.float32) for _ in range(2)
        )

    def begin(self) -> None:
        """Begin the next rollout."""
        self.step.zero_()
        for chance, generator in zip(self._chance, self._generators, strict=True):
            chance.uniform_(generator=generator)

    def chance(self) -> Tensor:
        """Return the random numbers of this step, one for each environment of each network."""
        return self._chance.index_select(1, self.step).squeeze(1)

    def add(self, seen: Tensor, mask: Tensor | None, action: Tensor, log_prob: Tensor) -> None:
        """Keep a step of all environments."""
        self._keep(self.observations, seen)
        self._keep(self.actions, action)
        self._keep(self.log_prob, log_prob)
        if mask is not None:
            self._keep(self.masks, mask)
        self.step += 1

    def _keep(self, column: Tensor, row: Tensor) -> None:
        column.index_copy_(1, self.step, row.unsqueeze(1))

    def orders(self, first: int, epochs: Sequence[int]) -> Tensor:
        """Draw the order of the steps of each epoch, for the networks from ``first`` on.

        Each network has its number of epochs; the largest number comes first.
        """
        count, device = self.steps * self.envs, self.step.device
        drawn = torch.zeros((len(epochs), epochs[0], count), device=device)
        for place, own in enumerate(epochs):
            drawn[place, :own].uniform_(generator=self._generators[first + place])
        return drawn.argsort(-1)

    def at(self, rows: Tensor, first: int) -> tuple[Tensor, Tensor | None, list[Tensor]]:
        """Return what networks from ``first`` on saw at their steps, the masks, and what they did.

        The last are actions, their log-probabilities at that time, advantages and returns.
        """
        masks = _at(rows, first, self.masks) if self.masks.ndim > 1 else None
        columns = self.actions, self.log_prob, self.advantages, self.returns
        done = [_at(rows, first, each) for each in columns]
        return _at(rows, first, self.observations), masks, done

    def estimate(self, values: Tensor, gamma: Tensor, gae_lambda: Tensor) -> None:
        """Compute generalised advantages and returns, given values by network, step and env."""
        device = self.step.device
        rewards, ended = (torch.from_numpy(each).to(device) for each in (self.rewards, self.ended))
        expected = values.transpose(0, 1)
        goes_on = gamma[:, None] * (1 - ended)
        deltas = rewards + goes_on * expected[1:] - expected[:-1]
        advantages = sums_to_come(deltas, gae_lambda[:, None] * goes_on)
        self.advantages.copy_(advantages.transpose(0, 1))
        self.returns.copy_((advantages + expected[:-1]).transpose(0, 1))


def _at(rows: Tensor, first: int, column: Tensor) -> Tensor:
    """Return the values of each network at its rows, which count its steps in all environments."""
    steps, envs = column.shape[1:3]
    offset = torch.arange(len(rows), device=rows.device).add_(first).mul_(steps * envs)
    wanted = (rows + offset[:, None]).flatten()
    found = column.flatten(0, 2).index_select(0, wanted)
    shaped: Tensor = found.unflatten(0, rows.shape)
    return shaped
