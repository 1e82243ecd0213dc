"""A native environment with the interface of Gymnasium."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.rl.native_batch import Batch, NativeBatch, sequence_in
from schedlab.sim import Schedule

if TYPE_CHECKING:
    from schedlab.rl.frame import Frame

Observation = NDArray[np.float32]

RENDER_MODES = ["rgb_array"]


def spaces(batch: NativeBatch) -> tuple[gymnasium.Space[Any], Discrete]:
    """Return the spaces of observations and of actions."""
    seen = Box(0, batch.largest, batch.observation.shape[1:], np.float32)
    return seen, Discrete(batch.core.actions)


class NativeEnv(gymnasium.Env[Observation, np.int64], Generic[Batch], ABC):
    """A batch of one environment; ``action_masks()`` says which actions make sense."""

    metadata = {"render_modes": RENDER_MODES, "render_fps": 4}  # noqa: RUF012

    def __init__(self, batch: Batch, render_mode: str | None) -> None:
        """Take over a batch of one."""
        if render_mode not in (None, *RENDER_MODES):
            raise ParameterError(f'render_mode is "{render_mode}"; must be {RENDER_MODES[0]}')
        self.render_mode, self.batch = render_mode, batch
        self.observation_space, self.action_space = spaces(batch)
        self._action = np.zeros(1, np.int64)
        self._state: dict[str, int] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; ``options={"sequence": workload}`` plays these jobs."""
        super().reset(seed=seed)
        self.batch.seed(seed)
        self.batch.reset(0, sequence_in(options))
        self._state = self.batch.state(0)
        return self._seen(), dict(self._state)

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take the action.

        The info holds the state of the episode; that of the last step also holds its results.
        """
        batch, actions = self.batch, self.batch.core.actions
        if not 0 <= action < actions:
            raise ParameterError(f"action is {action}; must be from 0 to {actions - 1}")
        self._action[0] = action
        ended = len(batch.step(self._action)) > 0
        before, self._state = self._state, batch.state(0)
        info = {**self._state, **(batch.result(0) if ended else {})}
        return (
            self._seen(),
            self.reward(before, info, float(batch.reward[0])),
            bool(batch.terminated[0]),
            bool(batch.truncated[0]),
            info,
        )

    def reward(self, before: Mapping[str, Any], info: Mapping[str, Any], given: float) -> float:
        """Return the reward of a step; a subclass may compute another one.

        Args:
            before: the info of the step before, or of ``reset``.
            info: the info of this step.
            given: the reward by the ``reward`` of the settings.
        """
        return given

    def _seen(self) -> Any:
        """Return what the agent sees now."""
        return self.batch.observation[0].copy()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions make sense now."""
        allowed: NDArray[np.bool_] = self.batch.mask[0] != 0
        return allowed

    def schedule(self) -> Schedule:
        """Return the schedule that the agent has decided so far; jobs that wait have start -1."""
        return self.batch.schedule(0)

    def render(self) -> Frame | None:
        """Return this moment as a picture: height x width x RGB."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() draws nothing without render_mode="rgb_array"')
            return None
        return self.frame()

    @abstractmethod
    def frame(self) -> Frame:
        """Return the picture."""
