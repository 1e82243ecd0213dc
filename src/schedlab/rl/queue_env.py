"""``schedlab/Queue-v0`` as a Gymnasium environment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch, sequence_in
from schedlab.sim import Schedule
from schedlab.workload import Workload
from schedlab.workload.episodes import choose_episodes

if TYPE_CHECKING:
    from schedlab.rl.render import Frame, FrameRenderer

Observation = NDArray[np.float32]

RENDER_MODES = ["rgb_array"]


def spaces(batch: QueueBatch) -> tuple[gymnasium.Space[Any], Discrete]:
    """What one agent sees, and what it can do."""
    seen = Box(0, batch.settings.largest, (batch.core.observation_size,), np.float32)
    return seen, Discrete(batch.core.actions)


class QueueEnv(gymnasium.Env[Observation, np.int64]):
    """An agent schedules one workload on one cluster, job by job.

    Action i picks the i-th waiting job in order of arrival; the last action ends the decisions at
    this time. ``action_masks()`` tells which make sense.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        workload: str | Path | Workload = "wl1",
        jobs: int | None = 1000,
        transforms: tuple[str, ...] = (),
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """Say where jobs come from, as for ``choose_episodes``, and the ``QueueSettings``."""
        if render_mode not in (None, *RENDER_MODES):
            raise ParameterError(f'render_mode is "{render_mode}"; must be {RENDER_MODES[0]}')
        self.render_mode = render_mode
        episodes = choose_episodes(workload, jobs, transforms)
        self.batch = QueueBatch(QueueSettings(**rules), episodes, 1, threads=1)
        self.observation_space, self.action_space = spaces(self.batch)
        self._action = np.zeros(1, np.int64)
        self._renderer: FrameRenderer | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; ``options={"sequence": workload}`` plays these jobs."""
        super().reset(seed=seed)
        self.batch.seed(seed)
        self.batch.reset(0, sequence_in(options))
        return self.batch.observation[0].copy(), {}

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do what the action says; the info of the last step tells what became of the episode."""
        if not 0 <= action < self.batch.core.actions:
            raise ParameterError(
                f"action is {action}; must be from 0 to {self.batch.core.actions - 1}"
            )
        self._action[0] = action
        ended = len(self.batch.step(self._action)) > 0
        return (
            self.batch.observation[0].copy(),
            float(self.batch.reward[0]),
            bool(self.batch.terminated[0]),
            bool(self.batch.truncated[0]),
            dict(self.batch.result(0)) if ended else {},
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions make sense now."""
        allowed: NDArray[np.bool_] = self.batch.mask[0] != 0
        return allowed

    def schedule(self) -> Schedule:
        """What the agent has decided so far; jobs that have not started wait, with start -1."""
        return self.batch.schedule(0)

    def render(self) -> Frame | None:
        """The queue, the nodes and what has run, as a picture: height x width x RGB."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() draws nothing without render_mode="rgb_array"')
            return None
        if self._renderer is None:
            from schedlab.rl.render import FrameRenderer

            self._renderer = FrameRenderer()
        return self._renderer.frame(self.batch)
