"""``schedlab/Queue-v0`` as a native batch of environments for Gymnasium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from schedlab.rl.batch import QueueBatch, Seeds
from schedlab.rl.episodes import choose_episodes
from schedlab.rl.queue_env import spaces
from schedlab.rl.settings import QueueSettings
from schedlab.workload import Workload

Rows = NDArray[np.float32]


class QueueVectorEnv(VectorEnv[Rows, NDArray[np.int64], NDArray[Any]]):
    """So many environments stepped by one call, in threads; an episode that ends begins anew.

    The arrays that ``step`` returns are written over by the next step.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        workload: str | Path | Workload = "wl1",
        jobs: int | None = 1000,
        transforms: tuple[str, ...] = (),
        threads: int | None = None,
        **rules: Any,
    ) -> None:
        """Choose how many, where jobs come from, and the rules, as for one environment."""
        episodes = choose_episodes(workload, jobs, transforms)
        self.batch = QueueBatch(QueueSettings(**rules), episodes, num_envs, threads=threads)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = spaces(self.batch)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, dict[str, Any]]:
        """Begin an episode in every environment.

        ``options={"sequence": workload}`` plays these jobs in all of them.
        """
        self.batch.seed(seed)
        sequence = (options or {}).get("sequence")
        for place in range(self.num_envs):
            self.batch.reset(place, sequence)
        return self.batch.observation, {}

    def step(
        self, actions: ArrayLike
    ) -> tuple[Rows, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Step them all; ``info`` holds the last observation and result of what has ended."""
        finished = self.batch.step(np.ascontiguousarray(actions, np.int64))
        terminated, truncated = self.batch.terminated != 0, self.batch.truncated != 0
        info: dict[str, Any] = {}
        if len(finished):
            last = np.full(self.num_envs, None, dtype=object)
            for place in finished:
                last[place] = self.batch.observation[place].copy()
                info = self._add_info(info, dict(self.batch.result(int(place))), int(place))
                self.batch.reset(int(place))
            info["final_obs"], info["_final_obs"] = last, terminated | truncated
        return self.batch.observation, self.batch.reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions make sense now, one row per environment."""
        return self.batch.mask.astype(np.bool_)
