"""The steps of one rollout, kept on the device that computes the network."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor


class DeviceRollout:
    """The steps of all environments: a row for each step, a column for each environment.

    Observations have one more row: what is seen after the last step.
    """

    def __init__(
        self,
        steps: int,
        envs: int,
        inputs: int,
        actions: int,
        device: torch.device,
        *,
        kind: torch.dtype,
        masked: bool,
    ) -> None:
        """Allocate buffers for this observation space."""
        self.step = torch.zeros(1, dtype=torch.long, device=device)
        self.observations = torch.zeros((steps + 1, envs, inputs), dtype=kind, device=device)
        shape = (steps, envs, actions) if masked else (0, 0)
        self.masks = torch.zeros(shape, dtype=torch.bool, device=device)
        self.actions = torch.zeros((steps, envs), dtype=torch.long, device=device)
        self.log_prob, self.advantages, self.returns = (
            torch.zeros((steps, envs), device=device) for _ in range(3)
        )

    def add(self, seen: Tensor, mask: Tensor | None, action: Tensor, log_prob: Tensor) -> None:
        """Keep a step of all environments."""
        self._keep(self.observations, seen.to(self.observations.dtype))
        self._keep(self.actions, action)
        self._keep(self.log_prob, log_prob)
        if mask is not None:
            self._keep(self.masks, mask)
        self.step += 1

    def _keep(self, column: Tensor, row: Tensor) -> None:
        column.index_copy_(0, self.step, row.unsqueeze(0))

    def seen(self, rows: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return observations and masks of these steps."""
        masks = _at(rows, self.masks) if len(self.masks) else None
        return _at(rows, self.observations), masks

    def done(self, rows: Tensor) -> Iterator[Tensor]:
        """Yield actions of these steps, their log-probabilities then, advantages and returns."""
        columns = self.actions, self.log_prob, self.advantages, self.returns
        return (_at(rows, each) for each in columns)

    def estimate(
        self, rewards: Tensor, ended: Tensor, values: Tensor, *, gamma: float, gae_lambda: float
    ) -> None:
        """Compute generalised advantage estimates and returns (Schulman et al., 2016)."""
        goes_on = gamma * (1 - ended)
        deltas = rewards + goes_on * values[1:] - values[:-1]
        self.advantages.copy_(sums_to_come(deltas, gae_lambda * goes_on))
        self.returns.copy_(self.advantages + values[:-1])


def _at(rows: Tensor, column: Tensor) -> Tensor:
    """Return the values of these steps, counted over all environments."""
    return column.flatten(0, 1).index_select(0, rows)


def sums_to_come(terms: Tensor, factors: Tensor) -> Tensor:
    """Compute ``sum[t] = term[t] + factor[t] * sum[t + 1]`` in about log2(steps) passes.

    After each pass ``sum[t]`` holds twice as many terms, and ``factor[t]`` is the factor of the
    next one.
    """
    sums, reach = terms, 1
    while reach < len(terms):
        sums = sums + factors * _later(sums, reach)
        factors = factors * _later(factors, reach)
        reach *= 2
    return sums


def _later(values: Tensor, steps: int) -> Tensor:
    """Return the values this number of rows later, and 0 beyond the last row."""
    return torch.cat((values[steps:], torch.zeros_like(values[:steps])))
