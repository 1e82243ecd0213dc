"""Clipping, Adam and the copy to the acting network, in one pass over the memory of a GPU."""

from __future__ import annotations

from typing import Any

from torch import Tensor

try:
    import triton
    import triton.language as tl
except ModuleNotFoundError:  # comes with torch for GPUs
    triton = None

BETAS = (0.9, 0.999)
EPS = 1e-5
"""The same as in Stable-Baselines3's PPO."""
_BLOCK = 2048


def is_there() -> bool:
    """Return whether kernels can be compiled."""
    return triton is not None


if triton is not None:

    @triton.jit  # type: ignore[untyped-decorator]
    def _kernel(  # type: ignore[no-untyped-def]
        learnt,
        used,
        slopes,
        first,
        second,
        scale,
        rate,
        unbias,
        length,
        beta1: tl.constexpr,
        beta2: tl.constexpr,
        eps: tl.constexpr,
        block: tl.constexpr,
    ):
        """Improve a part of one network's parameters; each network has a row."""
        network = tl.program_id(1)
        column = tl.program_id(0) * block + tl.arange(0, block)
        inside = column < length
        at = network.to(tl.int64) * length + column
        slope = tl.load(slopes + at, mask=inside, other=0.0).to(tl.float32)
        slope = slope * tl.load(scale + network)
        mean = tl.load(first + at, mask=inside, other=0.0)
        square = tl.load(second + at, mask=inside, other=0.0)
        mean = mean + (slope - mean) * (1 - beta1)
        square = square * beta2 + slope * slope * (1 - beta2)
        tl.store(first + at, mean, mask=inside)
        tl.store(second + at, square, mask=inside)
        spread = tl.sqrt(square) * tl.load(unbias + network) + eps
        value = tl.load(learnt + at, mask=inside, other=0.0)
        value = value - tl.load(rate + network) * mean / spread
        tl.store(learnt + at, value, mask=inside)
        tl.store(used + at, value.to(used.dtype.element_ty), mask=inside)


def improve(
    learnt: Tensor,
    used: Tensor,
    slopes: Tensor,
    averages: tuple[Tensor, Tensor],
    scale: Tensor,
    rate: Tensor,
    unbias: Tensor,
) -> None:
    """Make a step of Adam for each network, which has a row in each tensor.

    Args:
        learnt: parameters.
        used: where they are copied to.
        slopes: the gradients.
        averages: of gradients and of their squares.
        scale: of the gradients, for each network.
        rate: the learning rate, divided by the bias correction of the first average.
        unbias: one over the square root of the bias correction of the second.
    """
    networks, length = learnt.shape
    rows: Any = (learnt, used, slopes, *averages)
    assert all(each.is_contiguous() and each.shape == learnt.shape for each in rows)
    grid = (triton.cdiv(length, _BLOCK), networks)
    _kernel[grid](
        *rows, scale, rate, unbias, length, beta1=BETAS[0], beta2=BETAS[1], eps=EPS, block=_BLOCK
    )


def biases(steps: Tensor) -> tuple[Tensor, Tensor]:
    """Return the bias correction of the averages after a number of steps."""
    first, second = (1 - beta ** steps.double() for beta in BETAS)
    return first.float(), second.float()
