"""``schedlab/Queue-v0`` as a Gymnasium environment."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.policies.learned.settings import QueueSettings
from schedlab.policies.policy import View
from schedlab.rl.batch import QueueBatch
from schedlab.rl.machine_size import settings_for
from schedlab.rl.native_env import NativeEnv, Observation
from schedlab.workload import Workload
from schedlab.workload.episodes import choose_episodes

if TYPE_CHECKING:
    from schedlab.rl.frame import Frame
    from schedlab.rl.render import FrameRenderer


class QueueEnv(NativeEnv[QueueBatch]):
    """An agent schedules one workload on one cluster, job by job.

    Action i picks the i-th waiting job in order of arrival; the last action ends the decisions at
    this time. ``action_masks()`` says which make sense.
    """

    def __init__(
        self,
        workload: str | Path | Workload = "wl1",
        jobs: int | None = 1000,
        transforms: tuple[str, ...] = (),
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """Choose the source of jobs, as for ``choose_episodes``, and the ``QueueSettings``."""
        episodes = choose_episodes(workload, jobs, transforms)
        batch = QueueBatch(settings_for(episodes, rules), episodes, 1, threads=1)
        super().__init__(batch, render_mode)

    @property
    def settings(self) -> QueueSettings:
        """The rules, including the time scale."""
        return self.batch.told_settings

    @property
    def view(self) -> View:
        """What a policy of the simulator would see now; do not start jobs through it."""
        return self.batch.played(0)[1].view

    def observe(self, view: View, numbers: Observation) -> Any:
        """Return what the agent sees; a subclass may show it something else.

        The subclass must then set ``observation_space``, too. ``as_policy`` and ``learned:`` call
        this method, too, so it may use only its arguments and ``settings``.

        Args:
            view: all that a policy may know: ``now``, ``free_nodes``, ``queue``, ``running``.
            numbers: what the ``observation`` of the settings shows.
        """
        return numbers

    def _seen(self) -> Any:
        return self.observe(self.view, super()._seen())

    def frame(self) -> Frame:
        """Return the queue, the nodes and what has run, as a picture."""
        return self._renderer.frame(self.batch)

    @cached_property
    def _renderer(self) -> FrameRenderer:
        from schedlab.rl.render import FrameRenderer

        return FrameRenderer()
