"""The parameters that only ACER has."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class AcerSection:
    """``[acer]``: what actor-critic with experience replay has besides ``[train]``.

    Args:
        buffer_size: steps that are kept for replay, rounded up to whole segments.
        replay_ratio: updates from the buffer after each update from what was just seen, on average.
        replay_start: steps in the buffer before any is replayed.
        c: importance weights are truncated there.
        trust_region: whether updates keep near the averaged policy.
        delta: how fast an update may leave the averaged policy, by the linearised divergence.
        alpha: how much of the averaged policy an update leaves.
        q_coef: how much the action values count beside the policy.
        masked: whether only actions that make sense are drawn.
    """

    buffer_size: int = 50_000
    replay_ratio: float = 4.0
    replay_start: int = 10_000
    c: float = 10.0
    trust_region: bool = True
    delta: float = 1.0
    alpha: float = 0.99
    q_coef: float = 0.5
    masked: bool = False

    def __post_init__(self) -> None:
        for key in ("replay_ratio", "replay_start", "delta", "q_coef"):
            if not getattr(self, key) >= 0:
                raise ParameterError(f"{key} is {getattr(self, key)}; must be >= 0")
        if self.buffer_size < 1:
            raise ParameterError(f"buffer_size is {self.buffer_size}; must be >= 1")
        if not self.c > 0:
            raise ParameterError(f"c is {self.c}; must be > 0")
        if not 0 <= self.alpha <= 1:
            raise ParameterError(f"alpha is {self.alpha}; must be from 0 to 1")
        if self.replay_ratio > 0 and self.replay_start > self.buffer_size:
            raise ParameterError(
                f"replay_start is {self.replay_start:,}; "
                f"must be <= buffer_size, which is {self.buffer_size:,}"
            )
