"""The environments as the trainers of Stable-Baselines3 get them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedlab.rl.batch import QueueBatch
from schedlab.rl.replayable_batch import EpisodeRecord, ReplayableBatch
from schedlab.rl.sb3_env import Advanced, NativeVecEnv
from schedlab.workload import Workload


class TrainingEnv(NativeVecEnv[ReplayableBatch]):
    """Scales rewards, and can go on where a record left off."""

    def __init__(
        self, batch: ReplayableBatch, reward_scale: float = 1.0, *, relative_to_easy: bool = False
    ) -> None:
        """Take over a batch; ``relative_to_easy`` as in ``TrainSection``."""
        super().__init__(batch)
        self.reward_scale = reward_scale
        self._easy: EasyReturns | None = None
        if relative_to_easy:
            assert isinstance(batch, QueueBatch), "a TrainingConfig asks for it nowhere else"
            self._easy = EasyReturns(batch)

    def advance(self, actions: NDArray[np.int64]) -> Advanced:
        """Step them all; the infos tell of returns as they were before scaling."""
        played = list(self._easy.batch.workload) if self._easy is not None else []
        rewards, dones, infos = super().advance(actions)
        if self._easy is not None:
            for place in np.flatnonzero(dones):
                rewards[place] -= self._easy.on(played[place])
        return rewards * self.reward_scale, dones, infos

    def restore(self, records: Sequence[EpisodeRecord]) -> None:
        """Bring the environments where the records left them."""
        self._returns[:] = self.batch.restore(records)


class EasyReturns:
    """What EASY gets for the jobs of an episode: to take the first allowed job always."""

    def __init__(self, batch: QueueBatch) -> None:
        """Take the rules of the batch."""
        self.batch = batch
        self._batch = QueueBatch(batch.settings, batch.episodes, 1, threads=1)
        self._last: tuple[Workload | None, float] = None, 0.0

    def on(self, workload: Workload | None) -> float:
        """The return of an episode with these jobs."""
        if workload is not self._last[0]:
            self._last = workload, self._play(workload)
        return self._last[1]

    def _play(self, workload: Workload | None) -> float:
        batch = self._batch
        batch.reset(0, workload)
        total, ended = 0.0, False
        while not ended:
            ended = len(batch.step(batch.mask.argmax(axis=1))) > 0
            total += float(batch.reward[0])
        return total
