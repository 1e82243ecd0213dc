"""Actions drawn by a network's scores in one pass over the memory of a GPU."""

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
        masks,
        chances,
        actions,
        log_probs,
        width,
        count,
        has_mask: tl.constexpr,
        masked: tl.constexpr,
        block: tl.constexpr,
    ):
        """Draw the action of one situation."""
        situation = tl.program_id(0)
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
        up_to = tl.cumsum(likely, axis=0)
        total = tl.sum(likely, axis=0)
        goal = tl.load(chances + situation) * total
        action = tl.sum((inside & (up_to <= goal)).to(tl.int32), axis=0)
        # The cumulative sum may end a little below the sum: then take the last likely action.
        last = tl.max(tl.where(likely > 0, column, 0), axis=0)
        action = tl.minimum(action, last)
        taken = tl.sum(tl.where(column == action, score - top, 0.0), axis=0) - tl.log(total)
        tl.store(actions + situation, action.to(tl.int64))
        tl.store(log_probs + situation, taken)


def draw(scores: Tensor, mask: Tensor | None, chance: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return an action for each situation, and its log-probability.

    Args:
        scores: by network, situation and action, with padding after the last action.
        mask: which actions make sense.
        chance: a random number for each situation, >= 0 and below 1.
        count: number of actions.
    """
    networks, situations, width = scores.shape
    actions = torch.empty_like(chance, dtype=torch.long)
    log_probs = torch.empty_like(chance)
    assert scores.is_contiguous()
    assert chance.is_contiguous()
    _kernel[(networks * situations,)](
        scores,
        scores if mask is None else mask,
        chance,
        actions,
        log_probs,
        width,
        count,
        has_mask=mask is not None,
        masked=MASKED,
        block=triton.next_power_of_2(width),
    )
    return actions, log_probs
