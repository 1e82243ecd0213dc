"""The gradients of PPO's loss in one pass over the memory of a GPU."""

from __future__ import annotations

import torch
from torch import Tensor

from schedlab.rl.ppo_loss import MASKED

try:
    import triton
    import triton.language as tl
except ModuleNotFoundError:  # comes with torch for GPUs
    triton = None


if triton is not None:

    @triton.jit  # type: ignore[untyped-decorator]
    def _kernel(  # type: ignore[no-untyped-def]
        scores,
        values,
        masks,
        actions,
        old_log_prob,
        advantages,
        returns,
        mean,
        spread,
        clip_range,
        ent_coef,
        vf_coef,
        score_slopes,
        value_slopes,
        situations,
        width,
        value_width,
        count,
        has_mask: tl.constexpr,
        masked: tl.constexpr,
        block: tl.constexpr,
    ):
        """Compute the gradients for one situation of one network."""
        situation = tl.program_id(0)
        network = situation // situations
        column = tl.arange(0, block)
        inside = column < count
        row = situation.to(tl.int64) * width
        score = tl.load(scores + row + column, mask=inside, other=-float("inf")).to(tl.float32)
        if has_mask:
            allowed = tl.load(
                masks + situation.to(tl.int64) * count + column, mask=inside, other=1
            ).to(tl.int1)
            score = tl.where(allowed, score, masked)
            score = tl.where(inside, score, -float("inf"))
        top = tl.max(score, axis=0)
        likely = tl.exp(score - top)
        total = tl.sum(likely, axis=0)
        log_prob = tl.where(inside, score - top, 0.0) - tl.log(total)
        prob = likely / total
        action = tl.load(actions + situation)
        chosen = column == action
        taken = tl.sum(tl.where(chosen, log_prob, 0.0), axis=0)
        ratio = tl.exp(taken - tl.load(old_log_prob + situation))
        advantage = tl.load(advantages + situation) - tl.load(mean + network)
        advantage = advantage / (tl.load(spread + network) + 1e-8)
        clip = tl.load(clip_range + network)
        # Beyond the clip range the loss is flat, unless that would make it smaller.
        flat = ((ratio > 1 + clip) & (advantage > 0)) | ((ratio < 1 - clip) & (advantage < 0))
        slope = tl.where(flat, 0.0, -advantage * ratio) / situations
        surprise = tl.sum(prob * log_prob, axis=0)
        entropy = prob * (log_prob - surprise)
        entropy = entropy * tl.load(ent_coef + network) / situations
        slopes = slope * (chosen.to(tl.float32) - prob) + entropy
        if has_mask:
            slopes = tl.where(allowed, slopes, 0.0)
        kind = score_slopes.dtype.element_ty
        slopes = tl.where(inside, slopes, 0.0)
        tl.store(score_slopes + row + column, slopes.to(kind), mask=column < width)
        value_row = situation.to(tl.int64) * value_width
        value = tl.load(values + value_row).to(tl.float32)
        value = 2 * (value - tl.load(returns + situation)) / situations
        value = value * tl.load(vf_coef + network)
        first = column < value_width
        value = tl.where(column == 0, value, 0.0)
        tl.store(value_slopes + value_row + column, value.to(kind), mask=first)


def loss_slopes(
    scores: Tensor,
    values: Tensor,
    mask: Tensor | None,
    done: list[Tensor],
    count: int,
    *,
    clip_range: Tensor,
    ent_coef: Tensor,
    vf_coef: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return the gradients of ``ppo_loss`` by scores and values, as autograd would.

    Args:
        scores: by network, situation and action, with padding after the last action.
        values: by network and situation, with padding after the first number.
        mask: which actions make sense.
        done: actions, their log-probabilities at that time, advantages and returns.
        count: number of actions.
        clip_range: a number for each network, as in the other coefficients.
        ent_coef: the weight of the entropy.
        vf_coef: the weight of the value.
    """
    actions, old_log_prob, advantages, returns = done
    networks, situations, width = scores.shape
    spread, mean = torch.std_mean(advantages, -1)
    slopes = torch.empty_like(scores), torch.empty_like(values)
    assert all(each.is_contiguous() for each in (scores, values, *done))
    _kernel[(networks * situations,)](
        scores,
        values,
        scores if mask is None else mask,
        actions,
        old_log_prob,
        advantages,
        returns,
        mean,
        spread,
        clip_range,
        ent_coef,
        vf_coef,
        *slopes,
        situations,
        width,
        values.shape[-1],
        count,
        has_mask=mask is not None,
        masked=MASKED,
        block=triton.next_power_of_2(max(width, values.shape[-1])),
    )
    return slopes
