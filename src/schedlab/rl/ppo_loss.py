"""The loss of proximal policy optimisation (Schulman et al., 2017), as Stable-Baselines3 has it.

All sums and means are over the last dimension of a minibatch, so that several networks can be side
by side in a dimension before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Coefficient = float | Tensor

MASKED = -1e8
"""The score of an action that makes no sense, the same as MaskablePPO's."""


@dataclass(frozen=True)
class PpoLoss:
    """The loss, its parts, and other numbers for the log."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor
    approx_kl: Tensor
    clip_fraction: Tensor


def ppo_loss(
    log_probs: Tensor,
    values: Tensor,
    actions: Tensor,
    old_log_prob: Tensor,
    advantages: Tensor,
    returns: Tensor,
    *,
    clip_range: Coefficient,
    ent_coef: Coefficient,
    vf_coef: Coefficient,
) -> PpoLoss:
    """Return the loss on a minibatch, given the log-probabilities of all actions and the values.

    A coefficient is a number, or a tensor with a number for each network.
    """
    log_ratio = taken(log_probs, actions) - old_log_prob
    ratio = log_ratio.exp()
    policy = _policy_loss(ratio, advantages, clip_range)
    value = (returns - values).square().mean(-1)
    entropy = _entropy(log_probs)
    return PpoLoss(
        total=policy + ent_coef * entropy + vf_coef * value,
        policy=policy,
        value=value,
        entropy=entropy,
        approx_kl=(ratio - 1 - log_ratio).mean(-1),
        clip_fraction=((ratio - 1).abs() > _last(clip_range)).float().mean(-1),
    )


def _policy_loss(ratio: Tensor, advantages: Tensor, clip_range: Coefficient) -> Tensor:
    spread, mean = torch.std_mean(advantages, -1, keepdim=True)
    advantages = (advantages - mean) / (spread + 1e-8)
    clipped = 1 + (ratio - 1).clamp(-_last(clip_range), _last(clip_range))
    return -torch.min(advantages * ratio, advantages * clipped).mean(-1)


def _entropy(log_probs: Tensor) -> Tensor:
    return (log_probs.exp() * log_probs).sum(-1).mean(-1)


def _last(coefficient: Coefficient) -> Any:
    """Return the coefficient in a shape that fits each situation of a minibatch."""
    return coefficient.unsqueeze(-1) if isinstance(coefficient, Tensor) else coefficient


def log_probabilities(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Return the log-probabilities of all actions; masked actions have next to no probability."""
    scores = scores.float()
    if mask is not None:
        scores = scores.masked_fill(~mask, MASKED)
    return scores.log_softmax(-1)


def drawn(log_probs: Tensor, chance: Tensor) -> Tensor:
    """Draw an action in each situation; ``chance`` is a random number, >= 0 and below 1."""
    up_to = log_probs.exp().cumsum(-1)
    # The first action whose cumulative probability exceeds the number; the sum is not quite 1.
    return (up_to <= (chance.unsqueeze(-1) * up_to[..., -1:])).sum(-1)


def taken(log_probs: Tensor, actions: Tensor) -> Tensor:
    """Return the log-probabilities of the actions that were taken."""
    return log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
