"""Experience in segments: what all environments saw and did in a few consecutive steps."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Step = tuple[NDArray[Any], ...]
"""One step: the columns of a segment in their order, each with a row per environment."""


@dataclass(frozen=True)
class Segment:
    """Consecutive steps: arrays by step, then by environment, which never change.

    Args:
        observations: one more than there are steps, the last of them not yet acted on.
        masks: which actions made sense, likewise one more.
        actions: that were taken.
        rewards: that they brought.
        ended: whether the episode ended with that step; the next one belongs to another.
        log_probs: of all actions, by the policy that took them.
    """

    observations: NDArray[Any]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    log_probs: NDArray[np.float32]

    @classmethod
    def of(
        cls, steps: Sequence[Step], observations: NDArray[Any], masks: NDArray[np.bool_]
    ) -> Segment:
        """Return the segment of these steps, and of what was seen after the last."""
        seen, allowed, *others = zip(*steps, strict=True)
        return cls(
            np.stack([*seen, observations]),
            np.stack([*allowed, masks]),
            *(np.stack(column) for column in others),
        )

    @property
    def envs(self) -> int:
        """The number of environments in it."""
        return int(self.actions.shape[1])


_NAMES = tuple(each.name for each in fields(Segment))


def stacked(segments: Sequence[Segment]) -> dict[str, NDArray[Any]]:
    """Return the segments as a few arrays, by name, for a file."""
    if not segments:
        return {}
    return {name: np.stack([getattr(each, name) for each in segments]) for name in _NAMES}


def unstacked(arrays: Mapping[str, NDArray[Any]]) -> tuple[Segment, ...]:
    """Return the segments that were stacked."""
    if not arrays:
        return ()
    return tuple(Segment(*each) for each in zip(*(arrays[name] for name in _NAMES), strict=True))


class SegmentBuffer:
    """The latest segments, up to a number of steps.

    Segments are kept as they are, so that a list of them is a copy of the whole buffer.
    """

    def __init__(self, size: int, n_steps: int, n_envs: int) -> None:
        """Make room for ``size`` steps, rounded up to whole segments."""
        self._steps = n_steps * n_envs
        self._segments: deque[Segment] = deque(maxlen=math.ceil(size / self._steps))

    @property
    def steps(self) -> int:
        """The number of steps kept now."""
        return len(self._segments) * self._steps

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments)

    def refill(self, segments: Iterable[Segment]) -> None:
        """Keep these, the oldest first, and no others."""
        self._segments.clear()
        self._segments.extend(segments)

    def add(self, segment: Segment) -> None:
        """Keep the segment; the oldest one goes if there is no room."""
        self._segments.append(segment)

    @property
    def latest(self) -> Segment:
        """The segment that was added last."""
        return self._segments[-1]

    def sample(self) -> Segment:
        """Return a segment whose environments come from different times, drawn uniformly.

        It is drawn by numpy's global generator, which Stable-Baselines3 seeds.
        """
        drawn = [
            self._segments[place]
            for place in np.random.randint(len(self._segments), size=self.latest.envs)
        ]
        return Segment(
            *(
                np.stack([getattr(each, name)[:, env] for env, each in enumerate(drawn)], axis=1)
                for name in _NAMES
            )
        )
