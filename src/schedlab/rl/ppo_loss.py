"""The loss of proximal policy optimisation (Schulman et al., 2017), as Stable-Baselines3 has it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

MASKED = -1e8
"""The score of an action that makes no sense, as MaskablePPO has it."""


@dataclass(frozen=True)
class PpoLoss:
    """The loss, and what one wants to know about it."""

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
    clip_range: float,
    ent_coef: float,
    vf_coef: float,
) -> PpoLoss:
    """The loss on a minibatch: of the log-probabilities of all actions, and of the values."""
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    log_ratio = taken(log_probs, actions) - old_log_prob
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    policy = -torch.min(advantages * ratio, advantages * clipped).mean()
    value = nn.functional.mse_loss(returns, values)
    entropy = (log_probs.exp() * log_probs).sum(-1).mean()
    return PpoLoss(
        total=policy + ent_coef * entropy + vf_coef * value,
        policy=policy,
        value=value,
        entropy=entropy,
        approx_kl=(ratio - 1 - log_ratio).mean(),
        clip_fraction=((ratio - 1).abs() > clip_range).float().mean(),
    )


def log_probabilities(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Of all actions; those that the mask leaves out have next to none."""
    scores = scores.float()
    if mask is not None:
        scores = scores.masked_fill(~mask, MASKED)
    return scores.log_softmax(-1)


def taken(log_probs: Tensor, actions: Tensor) -> Tensor:
    """The log-probabilities of the actions that were taken."""
    return log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
