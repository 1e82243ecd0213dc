"""The environments in the form that the trainers of Stable-Baselines3 take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.policies import PolicyLike
from schedlab.rl.baseline import Baseline
from schedlab.rl.batch import QueueBatch
from schedlab.rl.episode_records import EpisodeRecord, EpisodeRecorder
from schedlab.rl.native_batch import NativeBatch
from schedlab.rl.sb3_env import Advanced, NativeVecEnv
from schedlab.workload import Workload


class TrainingEnv(NativeVecEnv[NativeBatch]):
    """Environments with scaled rewards, which can go on where a record left off."""

    def __init__(
        self,
        batch: NativeBatch,
        reward_scale: float = 1.0,
        baseline: PolicyLike | None = None,
    ) -> None:
        """Take over a batch; the rewards of the policy ``baseline`` are taken off."""
        super().__init__(batch)
        self.reward_scale = reward_scale
        self._recorder = EpisodeRecorder(batch.random)
        self._baseline: Baseline | None = None
        if baseline is not None:
            assert isinstance(batch, QueueBatch), "a TrainingConfig asks for it nowhere else"
            self._baseline = Baseline(batch, baseline)

    def reset(self) -> Any:
        """Begin an episode in every environment."""
        observations = super().reset()
        self._let_baseline_begin(range(self.num_envs))
        return observations

    def advance(self, actions: NDArray[np.int64]) -> Advanced:
        """Step all environments; the infos hold returns before scaling."""
        rewards, dones, infos = super().advance(actions)
        if self._baseline is not None:
            rewards -= self._baseline.gained(self.batch.terminated != 0).astype(np.float32)
            self._let_baseline_begin(map(int, np.flatnonzero(dones)))
        return rewards * self.reward_scale, dones, infos

    def records(self) -> list[EpisodeRecord]:
        """Return a record of each environment's running episode."""
        return self._recorder.records()

    def restore(self, records: Sequence[EpisodeRecord]) -> None:
        """Bring the environments back to where the records left off."""
        self._returns[:] = self._replay(records)
        self._let_baseline_begin(range(self.num_envs))
        if self._baseline is not None:
            self._baseline.skip(np.array([len(each.actions) > 0 for each in records]))

    def _begin(self, place: int, sequence: Workload | None = None) -> None:
        self._recorder.begin(place)
        super()._begin(place, sequence)

    def _step(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        self._recorder.step(actions)
        return super()._step(actions)

    def _replay(self, records: Sequence[EpisodeRecord]) -> NDArray[np.float64]:
        """Play the records again; return the sum of each one's rewards.

        The longest episode begins first, and each other one when as many steps are left as it has.
        Until then its environment takes arbitrary actions, since all are stepped together.
        """
        returns = np.zeros(self.num_envs)
        for place, record in enumerate(records):
            self._begin_again(place, record)
        for left in range(max(len(each.actions) for each in records), 0, -1):
            self._join(records, left)
            joined = np.array([len(each.actions) >= left for each in records])
            actions = [each.actions[-left] if len(each.actions) >= left else 0 for each in records]
            ended = self._step(np.array(actions, np.int64))
            returns += np.where(joined, self.batch.reward, 0.0)
            for place in ended:
                self._begin(int(place))
        self._join(records, 0)
        return returns

    def _join(self, records: Sequence[EpisodeRecord], left: int) -> None:
        for place, record in enumerate(records):
            if len(record.actions) == left:
                self._begin_again(place, record)

    def _begin_again(self, place: int, record: EpisodeRecord) -> None:
        self.batch.random[place].bit_generator.state = record.generator
        self._begin(place)

    def _let_baseline_begin(self, places: Iterable[int]) -> None:
        if self._baseline is not None:
            for place in places:
                self._baseline.begin(place)
