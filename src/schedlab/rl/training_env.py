"""The environments as the trainers of Stable-Baselines3 get them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.policies import PolicyLike
from schedlab.rl.baseline import Baseline
from schedlab.rl.batch import QueueBatch
from schedlab.rl.replayable_batch import EpisodeRecord, ReplayableBatch
from schedlab.rl.sb3_env import Advanced, NativeVecEnv


class TrainingEnv(NativeVecEnv[ReplayableBatch]):
    """Scales rewards, and can go on where a record left off."""

    def __init__(
        self,
        batch: ReplayableBatch,
        reward_scale: float = 1.0,
        baseline: PolicyLike | None = None,
    ) -> None:
        """Take over a batch; what the policy ``baseline`` gets is taken off its rewards."""
        super().__init__(batch)
        self.reward_scale = reward_scale
        self._baseline: Baseline | None = None
        if baseline is not None:
            assert isinstance(batch, QueueBatch), "a TrainingConfig asks for it nowhere else"
            self._baseline = Baseline(batch, baseline)

    def reset(self) -> Any:
        """Begin an episode in every environment."""
        observations = super().reset()
        self._let_rival_begin(range(self.num_envs))
        return observations

    def advance(self, actions: NDArray[np.int64]) -> Advanced:
        """Step them all; the infos tell of returns as they were before scaling."""
        rewards, dones, infos = super().advance(actions)
        if self._baseline is not None:
            rewards -= self._baseline.gained(self.batch.terminated != 0).astype(np.float32)
            self._let_rival_begin(map(int, np.flatnonzero(dones)))
        return rewards * self.reward_scale, dones, infos

    def restore(self, records: Sequence[EpisodeRecord]) -> None:
        """Bring the environments where the records left them."""
        self._returns[:] = self.batch.restore(records)
        self._let_rival_begin(range(self.num_envs))
        if self._baseline is not None:
            self._baseline.skip(np.array([len(each.actions) > 0 for each in records]))

    def _let_rival_begin(self, places: Iterable[int]) -> None:
        if self._baseline is not None:
            for place in places:
                self._baseline.begin(place)
