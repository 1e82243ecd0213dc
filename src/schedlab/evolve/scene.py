"""Scenes in which policies are tried: jobs, and the machine that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from schedlab.platform import Platform
from schedlab.workload import Workload
from schedlab.workload.episodes import GeneratedEpisodes, WindowEpisodes


@dataclass(frozen=True)
class Episode:
    """The jobs of one simulation, and its machine, which is empty at the start."""

    jobs: Workload
    platform: Platform


@dataclass(frozen=True)
class Scene:
    """The source of the jobs of episodes, and the machine for all of them."""

    source: WindowEpisodes | GeneratedEpisodes
    platform: Platform

    def split(self, share: float) -> tuple[Scene, Scene]:
        """Return a scene to learn from, and one of the last share, with no job in common."""
        learn, test = self.source.split(share)
        return replace(self, source=learn), replace(self, source=test)

    def draw(self, random: np.random.Generator) -> Episode:
        """Return the next episode."""
        return Episode(self.source.draw(random), self.platform)


def draw(scenes: Sequence[Scene], count: int, random: np.random.Generator) -> list[Episode]:
    """Draw a number of episodes, one of each scene in turn."""
    return [scenes[place % len(scenes)].draw(random) for place in range(count)]
