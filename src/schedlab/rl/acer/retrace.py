"""Retrace: returns for another policy than the one that acted (Munos et al., 2016)."""

from __future__ import annotations

import torch
from torch import Tensor


def retrace(
    rewards: Tensor,
    ended: Tensor,
    q_taken: Tensor,
    values: Tensor,
    log_ratios: Tensor,
    *,
    gamma: float,
) -> Tensor:
    """Return targets of the action values, by step and environment.

    Args:
        rewards: of the steps.
        ended: 1 where the episode ended with the step, else 0.
        q_taken: the values of the actions taken.
        values: of the situations, one more than there are steps.
        log_ratios: of the actions taken, the logarithm of how much likelier they are now.
        gamma: the discount.
    """
    traces, discounts = log_ratios.clamp(max=0).exp(), gamma * (1 - ended)
    *of_steps, to_come = values
    targets = []
    steps = zip(rewards, discounts, traces, q_taken, of_steps, strict=True)
    for reward, discount, trace, q, value in reversed(list(steps)):
        targets.append(reward + discount * to_come)
        to_come = value + trace * (targets[-1] - q)
    return torch.stack(targets[::-1])
