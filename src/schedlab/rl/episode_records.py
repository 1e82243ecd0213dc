"""Records that bring environments back to a state: random generators, and actions to repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


@dataclass(frozen=True)
class EpisodeRecord:
    """How one environment reached its state: its generator at the start, and its actions.

    Resets and steps are deterministic, so this is the environment's whole state.
    """

    generator: Mapping[str, Any]
    actions: list[int]


class EpisodeRecorder:
    """Remembers the running episodes of environments that are stepped together."""

    def __init__(self, random: list[Generator]) -> None:
        """Take the generators of the environments."""
        self._random = random
        self._generators = [each.bit_generator.state for each in random]
        self._steps: list[NDArray[np.int64]] = []
        self._begun = [0] * len(random)

    def begin(self, place: int) -> None:
        """Remember the generator's state with which an environment is about to begin an episode."""
        self._generators[place] = self._random[place].bit_generator.state
        self._begun[place] = len(self._steps)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Remember the actions of all environments."""
        self._steps.append(actions.copy())

    def records(self) -> list[EpisodeRecord]:
        """Return a record of each environment's running episode."""
        self._forget(min(self._begun))
        steps = np.array(self._steps).reshape(-1, len(self._random))
        return [
            EpisodeRecord(generator, steps[begun:, place].tolist())
            for place, (generator, begun) in enumerate(
                zip(self._generators, self._begun, strict=True)
            )
        ]

    def _forget(self, steps: int) -> None:
        """Forget this number of steps, which lie before all running episodes."""
        del self._steps[:steps]
        self._begun = [begun - steps for begun in self._begun]
