"""Batches of native environments for Gymnasium."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Generic

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from schedlab.errors import ParameterError
from schedlab.rl.batch import QueueBatch
from schedlab.rl.machine_size import settings_for
from schedlab.rl.native_batch import Batch, Seeds, check_actions, sequence_in
from schedlab.rl.native_env import spaces
from schedlab.workload import Workload
from schedlab.workload.episodes import choose_episodes

Rows = NDArray[np.float32]


class NativeVectorEnv(VectorEnv[Rows, NDArray[np.int64], NDArray[Any]], Generic[Batch]):
    """Environments stepped by one call, in threads; after an episode the next one begins.

    The step that ends an episode returns the first observation of the next one; its ``info`` holds
    ``final_obs`` and ``final_info``, as Gymnasium's own vector environments do.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, batch: Batch, *, copy: bool) -> None:
        """Take over a batch; without ``copy`` each step overwrites the arrays returned before."""
        self.batch, self.num_envs, self.copy = batch, batch.size, copy
        self.single_observation_space, self.single_action_space = spaces(batch)
        self.observation_space = batch_space(self.single_observation_space, batch.size)
        self.action_space = batch_space(self.single_action_space, batch.size)
        every = np.ones(batch.size, np.bool_)
        every.flags.writeable = False
        self._names = batch.core.state_names
        self._masks = {f"_{name}": every for name in self._names}

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, dict[str, Any]]:
        """Begin an episode in every environment, or in those that ``reset_mask`` selects.

        ``options={"sequence": workload}`` plays these jobs in all of them.
        """
        asked = dict(options or {})
        places = self._places(asked.pop("reset_mask", None))
        sequence = sequence_in(asked)
        self.batch.seed(seed)
        for place in places:
            self.batch.reset(place, sequence)
        return self._own(self.batch.observation), self._where_they_are()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Rows, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Step all environments; ``info`` holds their states, and the last of ended episodes."""
        chosen = np.ascontiguousarray(actions, np.int64)
        check_actions(chosen, self.batch.core.actions)
        finished = self.batch.step(chosen)
        info: dict[str, Any] = {}
        for place in map(int, finished):
            last = {
                "final_obs": self.batch.observation[place].copy(),
                "final_info": {**self.batch.state(place), **self.batch.result(place)},
            }
            info = self._add_info(info, last, place)
            self.batch.reset(place)
        return (
            self._own(self.batch.observation),
            self._own(self.batch.reward),
            self.batch.terminated != 0,
            self.batch.truncated != 0,
            {**self._where_they_are(), **info},
        )

    def _where_they_are(self) -> dict[str, Any]:
        """Return the state of every environment, in Gymnasium's way: columns with masks."""
        states = self.batch.states()
        return dict(zip(self._names, states.T.copy(), strict=True)) | self._masks

    def _places(self, reset_mask: NDArray[np.bool_] | None) -> list[int]:
        if reset_mask is None:
            return list(range(self.num_envs))
        shape = np.shape(reset_mask)
        if shape != (self.num_envs,):
            raise ParameterError(f"reset_mask has shape {shape}; must be ({self.num_envs},)")
        return [int(place) for place in np.flatnonzero(reset_mask)]

    def _own(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions make sense now, one row per environment."""
        return self.batch.mask.astype(np.bool_)


class QueueVectorEnv(NativeVectorEnv[QueueBatch]):
    """``schedlab/Queue-v0`` as a native batch."""

    def __init__(
        self,
        num_envs: int = 1,
        workload: str | Path | Workload = "wl1",
        jobs: int | None = 1000,
        transforms: tuple[str, ...] = (),
        threads: int | None = None,
        copy: bool = True,
        **rules: Any,
    ) -> None:
        """Choose the number of environments; jobs and rules are as for one environment.

        Args:
            num_envs: number of environments.
            workload: as for ``choose_episodes``.
            jobs: per episode.
            transforms: of the jobs.
            threads: number of threads that step them. Default: the number of processors.
            copy: whether to return copies of the arrays; else the next step overwrites them.
            rules: the ``QueueSettings``.
        """
        episodes = choose_episodes(workload, jobs, transforms)
        batch = QueueBatch(settings_for(episodes, rules), episodes, num_envs, threads=threads)
        super().__init__(batch, copy=copy)
