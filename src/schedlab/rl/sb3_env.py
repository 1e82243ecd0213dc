"""Batches of native environments for Stable-Baselines3."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from schedlab.rl.native_batch import Batch, check_actions, sequence_in
from schedlab.rl.native_env import spaces
from schedlab.workload import Workload

Advanced = tuple[NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]
"""Rewards, whether each episode has ended, and infos."""


class NativeVecEnv(VecEnv, Generic[Batch]):
    """Environments stepped by one call, in threads; after an episode the next one begins.

    The last info of an episode has ``episode`` (return, length, time), as SB3's Monitor would give,
    and the ``result`` of the batch.
    """

    def __init__(self, batch: Batch) -> None:
        """Take over a batch."""
        self.batch = batch
        self.render_mode = None
        super().__init__(batch.size, *spaces(batch))
        self._actions = np.zeros(batch.size, np.int64)
        self._returns = np.zeros(batch.size)
        self._began = time.perf_counter()
        self._infos: list[dict[str, Any]] = [{} for _ in range(batch.size)]

    def reset(self) -> Any:
        """Begin an episode in every environment, with seeds and options if any were given."""
        self.batch.seed(self._seeds)
        self._returns[:] = 0
        for place, options in enumerate(self._options):
            self._begin(place, sequence_in(options))
        self._reset_seeds()
        self._reset_options()
        return self.batch.observation.copy()

    def step_async(self, actions: Any) -> None:
        """Keep the actions."""
        self._actions[:] = actions
        check_actions(self._actions, self.batch.core.actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Step all environments, and begin the next episode where one has ended."""
        rewards, dones, infos = self.advance(self._actions)
        names, states = self.batch.core.state_names, self.batch.states().tolist()
        told = [
            {**dict(zip(names, state, strict=True)), **info}
            for state, info in zip(states, infos, strict=True)
        ]
        # SB3 puts an observation into its buffer after the next step, so it must not change.
        return self.batch.observation.copy(), rewards, dones, told

    def advance(self, actions: NDArray[np.int64]) -> Advanced:
        """Step all environments; the batch holds their observations until the next step."""
        finished = self._step(actions)
        self._returns += self.batch.reward
        rewards = self.batch.reward.astype(np.float32)
        dones = (self.batch.terminated | self.batch.truncated).astype(bool)
        infos = list(self._infos)
        for place in map(int, finished):
            infos[place] = self._last_info(place)
            self._returns[place] = 0
            self._begin(place)
        return rewards, dones, infos

    def _begin(self, place: int, sequence: Workload | None = None) -> None:
        """Begin an episode of one environment, with these jobs or else with its next ones."""
        self.batch.reset(place, sequence)

    def _step(self, actions: NDArray[np.int64]) -> NDArray[np.intp]:
        """Step all environments and return those that have finished."""
        return self.batch.step(actions)

    def _last_info(self, place: int) -> dict[str, Any]:
        result = dict(self.batch.result(place))
        elapsed_s = round(time.perf_counter() - self._began, 6)
        return {
            **self.batch.state(place),
            **result,
            "episode": {"r": self._returns[place], "l": result["steps"], "t": elapsed_s},
            "terminal_observation": self.batch.observation[place].copy(),
            "TimeLimit.truncated": bool(self.batch.truncated[place]),
        }

    def action_masks(self) -> Any:
        """Return which actions make sense now, one row per environment."""
        return self.batch.mask != 0

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Return ``action_masks`` for MaskablePPO; environments have no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"environments have no method {method_name}")
        return list(self.action_masks()[list(self._get_indices(indices))])

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return the same attribute for each of the environments."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all environments."""
        setattr(self, attr_name, value)

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environments have this attribute."""
        return hasattr(self, attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Return True for SB3's Monitor: native environments give the same infos on episodes."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next reset; from one number, each environment gets a different seed."""
        given = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        self._seeds = [given + place for place in range(self.num_envs)]
        return self._seeds

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
