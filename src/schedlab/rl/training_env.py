"""The environments as the trainers of Stable-Baselines3 get them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedlab.rl.replayable_batch import EpisodeRecord, ReplayableBatch
from schedlab.rl.sb3_env import Advanced, QueueVecEnv


class TrainingEnv(QueueVecEnv):
    """Scales rewards, and can go on where a record left off."""

    def __init__(self, batch: ReplayableBatch, reward_scale: float) -> None:
        super().__init__(batch)
        self.replayable, self.reward_scale = batch, reward_scale

    def advance(self, actions: NDArray[np.int64]) -> Advanced:
        """Step them all; the infos tell of returns as they were before scaling."""
        rewards, dones, infos = super().advance(actions)
        return rewards * self.reward_scale, dones, infos

    def restore(self, records: Sequence[EpisodeRecord]) -> None:
        """Bring the environments where the records left them."""
        self._returns[:] = self.replayable.restore(records)
