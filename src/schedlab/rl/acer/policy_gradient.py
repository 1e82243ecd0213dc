"""The direction in which ACER changes a distribution over actions (Wang et al., 2017).

Everything here is about the statistics of the distribution, which for discrete actions are the
probabilities themselves; the network comes in afterwards, by the chain rule.
"""

from __future__ import annotations

from torch import Tensor, nn

LEAST = 1e-6
"""The smallest probability that is used as a divisor."""


def policy_gradient(
    log_probs: Tensor,
    behaviour_log_probs: Tensor,
    actions: Tensor,
    targets: Tensor,
    q: Tensor,
    values: Tensor,
    *,
    c: float,
    ent_coef: float,
) -> Tensor:
    """Return how the objective grows with each probability: section 3.2 of the paper, and entropy.

    The first term weighs the action taken by its importance, truncated at ``c``; the second makes
    up for what was cut off, by the action values. The weight ``[1 - c / ratio]+`` of an action
    times its probability is ``[probability - c * behaviour probability]+``, where nothing is
    divided by a probability that may be zero.
    """
    probs = log_probs.exp()
    truncated = (log_probs - behaviour_log_probs).exp().clamp(max=c)
    taken = nn.functional.one_hot(actions, log_probs.shape[-1])
    corrected = (probs - c * behaviour_log_probs.exp()).clamp(min=0)
    advantages = (targets - values).unsqueeze(-1)
    pushes = taken * truncated * advantages + corrected * (q - values.unsqueeze(-1))
    return pushes / probs.clamp(min=LEAST) - ent_coef * (log_probs + 1)


def within_trust_region(
    gradient: Tensor, log_probs: Tensor, averaged_log_probs: Tensor, *, delta: float
) -> Tensor:
    """Return the nearest direction that keeps to the trust region.

    In it the divergence from the averaged policy grows by at most ``delta``. The divergence is
    linearised, so the projection has a closed form (section 3.3 of the paper).
    """
    growth = -averaged_log_probs.exp() / log_probs.exp().clamp(min=LEAST)
    excess = (growth * gradient).sum(-1, keepdim=True) - delta
    squared = growth.square().sum(-1, keepdim=True)
    return gradient - excess.clamp(min=0) / squared * growth
