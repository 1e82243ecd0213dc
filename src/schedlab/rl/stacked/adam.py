"""Adam for many networks, each with a learning rate of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from schedlab.rl.stacked import fused_adam


class StackedAdam:
    """Improves rows of parameters, and copies them to where they are used.

    Args:
        learnt: a row per network.
        used: the same in the type of number that is multiplied; it may be the same memory.
        schedules: a number for each network; those with the same number always have the same
            learning rate.
    """

    def __init__(self, learnt: Tensor, used: Tensor, schedules: Sequence[int]) -> None:
        self._learnt, self._used = learnt, used
        self._first, self._second = torch.zeros_like(learnt), torch.zeros_like(learnt)
        self._steps = torch.zeros(len(learnt), device=learnt.device)
        self._kinds = list(schedules)
        self._schedules = torch.tensor(self._kinds, device=learnt.device)
        self.rates = torch.zeros(max(schedules) + 1, device=learnt.device)
        self.fused = learnt.is_cuda and fused_adam.is_there()
        """Whether a step is one kernel."""

    def step(self, first: int, last: int, slopes: Tensor, scale: Tensor) -> None:
        """Improve these networks by their gradients, multiplied by a number for each network."""
        own = slice(first, last)
        self._steps[own] += 1
        if not self.fused:
            self._plain(first, last, slopes * scale[:, None])
            if self._used is not self._learnt:
                self._used[own].copy_(self._learnt[own])
            return
        of_first, of_second = fused_adam.biases(self._steps[own])
        rates = self.rates.index_select(0, self._schedules[own])
        fused_adam.improve(
            self._learnt[own],
            self._used[own],
            slopes,
            (self._first[own], self._second[own]),
            scale,
            rates / of_first,
            of_second.rsqrt(),
        )

    def _plain(self, first: int, last: int, slopes: Tensor) -> None:
        """Do the same with torch's own kernel, in one call for all networks with the same rate."""
        schedules, on_gpu = self._kinds[first:last], self._learnt.is_cuda
        for schedule in sorted(set(schedules)):
            rows = [place for place, own in enumerate(schedules) if own == schedule]
            rate: Any = self.rates[schedule]
            kept = (self._learnt, self._first, self._second)
            learnt, means, squares = ([each[first + row] for row in rows] for each in kept)
            torch._fused_adam_(
                learnt,
                [slopes[row] for row in rows],
                means,
                squares,
                [],
                [self._steps[first + row] for row in rows],
                # A graph reads the rate from memory, where it changes; a processor takes a number.
                lr=rate if on_gpu else float(rate),
                beta1=fused_adam.BETAS[0],
                beta2=fused_adam.BETAS[1],
                weight_decay=0.0,
                eps=fused_adam.EPS,
                amsgrad=False,
                maximize=False,
            )

    def changed(self, first: int, last: int) -> list[Tensor]:
        """Return all that a step of these networks changes."""
        kept = (self._learnt, self._used, self._first, self._second, self._steps)
        return [each[first:last] for each in kept]
