"""Environments whose state can be kept and restored: by chance and actions, played again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.rl.batch import QueueBatch
from schedlab.rl.environments import Settings
from schedlab.rl.gantt.batch import GanttBatch
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.rl.native_batch import NativeBatch
from schedlab.workload import Workload
from schedlab.workload.episodes import Episodes


@dataclass(frozen=True)
class EpisodeRecord:
    """How one environment got where it is: its generator when the episode began, and its actions.

    Resets and steps are deterministic, so this is the environment's whole state.
    """

    generator: Mapping[str, Any]
    actions: list[int]


class ReplayableBatch(NativeBatch):
    """Lets the batch that comes after it among a class's bases remember the running episodes."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._generators = [each.bit_generator.state for each in self.random]
        self._steps: list[NDArray[np.int64]] = []
        self._begun = [0] * self.size

    def reset(self, place: int, sequence: Workload | None = None) -> None:
        """Begin an episode, and remember from which chance."""
        self._generators[place] = self.random[place].bit_generator.state
        self._begun[place] = len(self._steps)
        super().reset(place, sequence)  # type: ignore[safe-super]

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        """Step them all, and remember the actions."""
        self._steps.append(actions.copy())
        return super().step(actions)

    def records(self) -> list[EpisodeRecord]:
        """Where the environments are."""
        self._forget(min(self._begun))
        steps = np.array(self._steps).reshape(-1, self.size)
        return [
            EpisodeRecord(generator, steps[begun:, place].tolist())
            for place, (generator, begun) in enumerate(
                zip(self._generators, self._begun, strict=True)
            )
        ]

    def _forget(self, steps: int) -> None:
        """Those before all running episodes."""
        del self._steps[:steps]
        self._begun = [begun - steps for begun in self._begun]

    def restore(self, records: Sequence[EpisodeRecord]) -> NDArray[np.float64]:
        """Bring the environments where the records left them; the rewards of each on the way.

        The longest episode begins first and the others join it when as many steps are left as they
        have; until then they play anything, since all are stepped together.
        """
        returns = np.zeros(self.size)
        for place, record in enumerate(records):
            self._begin(place, record)
        for left in range(max(len(each.actions) for each in records), 0, -1):
            self._join(records, left)
            joined = np.array([len(each.actions) >= left for each in records])
            actions = [each.actions[-left] if len(each.actions) >= left else 0 for each in records]
            ended = self.step(np.array(actions, np.int64))
            returns += np.where(joined, self.reward, 0.0)
            for place in ended:
                self.reset(int(place))
        self._join(records, 0)
        return returns

    def _join(self, records: Sequence[EpisodeRecord], left: int) -> None:
        for place, record in enumerate(records):
            if len(record.actions) == left:
                self._begin(place, record)

    def _begin(self, place: int, record: EpisodeRecord) -> None:
        self.random[place].bit_generator.state = record.generator
        self.reset(place)


class ReplayableQueueBatch(ReplayableBatch, QueueBatch):
    """Environments ``schedlab/Queue-v0`` that can be restored."""

    warns = False  # a trainer without masks tries what they forbid, and learns from it


class ReplayableGanttBatch(ReplayableBatch, GanttBatch):
    """Environments ``schedlab/Gantt-v0`` that can be restored."""


def replayable_batch(
    settings: Settings, episodes: Episodes, size: int, *, threads: int
) -> ReplayableBatch:
    """Make a number of environments with these rules."""
    made = ReplayableGanttBatch if isinstance(settings, GanttSettings) else ReplayableQueueBatch
    batch: ReplayableBatch = made(settings, episodes, size, threads=threads)
    return batch
