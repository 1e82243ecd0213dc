"""``schedlab/Queue-v0`` as a Gymnasium environment."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.native_env import NativeEnv
from schedlab.sections import from_keywords
from schedlab.workload import Workload
from schedlab.workload.episodes import choose_episodes

if TYPE_CHECKING:
    from schedlab.rl.frame import Frame
    from schedlab.rl.render import FrameRenderer


class QueueEnv(NativeEnv[QueueBatch]):
    """An agent schedules one workload on one cluster, job by job.

    Action i picks the i-th waiting job in order of arrival; the last action ends the decisions at
    this time. ``action_masks()`` tells which make sense.
    """

    def __init__(
        self,
        workload: str | Path | Workload = "wl1",
        jobs: int | None = 1000,
        transforms: tuple[str, ...] = (),
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """Say where jobs come from, as for ``choose_episodes``, and the ``QueueSettings``."""
        episodes = choose_episodes(workload, jobs, transforms)
        batch = QueueBatch(from_keywords(QueueSettings, rules), episodes, 1, threads=1)
        super().__init__(batch, render_mode)

    def frame(self) -> Frame:
        """The queue, the nodes and what has run, as a picture."""
        return self._renderer.frame(self.batch)

    @cached_property
    def _renderer(self) -> FrameRenderer:
        from schedlab.rl.render import FrameRenderer

        return FrameRenderer()
