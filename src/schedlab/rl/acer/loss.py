"""What an update of ACER minimises."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from schedlab.rl.acer.policy import expected_values
from schedlab.rl.acer.policy_gradient import policy_gradient, within_trust_region
from schedlab.rl.acer.retrace import retrace
from schedlab.rl.ppo_loss import taken


@dataclass(frozen=True)
class Behaviour:
    """What was done in a segment, as tensors by step and environment: see ``Segment``."""

    actions: Tensor
    rewards: Tensor
    ended: Tensor
    log_probs: Tensor


@dataclass(frozen=True)
class AcerLoss:
    """The loss, its parts, and other numbers for the log."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor
    averaged_kl: Tensor
    explained_variance: Tensor


def acer_loss(
    log_probs: Tensor,
    q: Tensor,
    averaged_log_probs: Tensor,
    done: Behaviour,
    *,
    gamma: float,
    c: float,
    delta: float | None,
    ent_coef: float,
    q_coef: float,
) -> AcerLoss:
    """Return the loss on a segment.

    Args:
        log_probs: of all actions now, by step and environment; one step more than ``done`` has.
        q: the values of all actions, likewise.
        averaged_log_probs: of all actions by the averaged policy, as many steps as ``done`` has.
        done: what was done, with the probabilities of that time.
        gamma: the discount.
        c: importance weights are truncated at this value.
        delta: that of the trust region; None for no trust region.
        ent_coef: how much the entropy counts.
        q_coef: how much the action values count.
    """
    values = expected_values(log_probs, q).detach()
    log_probs, q = log_probs[:-1], q[:-1]
    q_taken = taken(q, done.actions)
    with torch.no_grad():
        log_ratios = taken(log_probs - done.log_probs, done.actions)
        targets = retrace(done.rewards, done.ended, q_taken, values, log_ratios, gamma=gamma)
        direction = policy_gradient(
            *(log_probs, done.log_probs, done.actions, targets, q, values[:-1]),
            c=c,
            ent_coef=ent_coef,
        )
        if delta is not None:
            direction = within_trust_region(direction, log_probs, averaged_log_probs, delta=delta)
    probs = log_probs.exp()
    # Its gradient by the probabilities is the direction; autograd takes it to the network.
    policy = -(direction * probs).sum(-1).mean()
    value = (targets - q_taken).square().mean() / 2
    averaged = averaged_log_probs.exp()
    return AcerLoss(
        total=policy + q_coef * value,
        policy=policy,
        value=value,
        entropy=(probs * log_probs).sum(-1).mean(),
        averaged_kl=(averaged * (averaged_log_probs - log_probs)).sum(-1).mean(),
        explained_variance=1 - (targets - q_taken).var() / targets.var().clamp(min=1e-12),
    )
