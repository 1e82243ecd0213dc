"""``schedlab/Gantt-v0`` for Gymnasium, one by one and as a native batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.errors import ParameterError
from schedlab.rl.gantt.batch import GanttBatch
from schedlab.rl.gantt.episodes import GridEpisodes
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.rl.native_env import NativeEnv
from schedlab.rl.vector_env import NativeVectorEnv
from schedlab.sections import from_keywords
from schedlab.workload import Workload
from schedlab.workload.episodes import Episodes, choose_episodes
from schedlab.workload.generators import Bernoulli, find_generator, is_model

if TYPE_CHECKING:
    from schedlab.rl.frame import Frame
    from schedlab.rl.gantt.render import GanttRenderer

Source = str | Path | Workload
Load = float | Sequence[float]


class GanttEnv(NativeEnv[GanttBatch]):
    """An agent reserves the resources of a small grid, job by job.

    Action i reserves for the job in slot i at the earliest start within the window, and no time
    passes. The last action lets one time unit pass; so do empty slots and jobs for which there is
    no room. ``action_masks()`` says which actions make sense.
    """

    def __init__(
        self,
        workload: Source | None = None,
        jobs: int | None = None,
        transforms: tuple[str, ...] = (),
        load: Load | None = None,
        units: int | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """Choose the source of jobs, as for ``grid_episodes``, and the ``GanttSettings``."""
        settings = from_keywords(GanttSettings, rules)
        episodes = grid_episodes(settings.resources, workload, jobs, transforms, load, units)
        super().__init__(GanttBatch(settings, episodes, 1, threads=1), render_mode)

    def frame(self) -> Frame:
        """Return the chart, the waiting jobs and the backlog, as a picture."""
        return self._renderer.frame(self.batch)

    @cached_property
    def _renderer(self) -> GanttRenderer:
        from schedlab.rl.gantt.render import GanttRenderer

        return GanttRenderer()


class GanttVectorEnv(NativeVectorEnv[GanttBatch]):
    """``schedlab/Gantt-v0`` as a native batch."""

    def __init__(
        self,
        num_envs: int = 1,
        workload: Source | None = None,
        jobs: int | None = None,
        transforms: tuple[str, ...] = (),
        load: Load | None = None,
        units: int | None = None,
        threads: int | None = None,
        copy: bool = True,
        **rules: Any,
    ) -> None:
        """Choose the number of environments; jobs and rules are as for one environment.

        Args:
            num_envs: number of environments.
            workload: as for ``grid_episodes``.
            jobs: per episode.
            transforms: of the jobs.
            load: offered by generated jobs.
            units: time units in which generated jobs arrive.
            threads: number of threads that step them. Default: the number of processors.
            copy: whether to return copies of the arrays; else the next step overwrites them.
            rules: the ``GanttSettings``.
        """
        settings = from_keywords(GanttSettings, rules)
        episodes = grid_episodes(settings.resources, workload, jobs, transforms, load, units)
        super().__init__(GanttBatch(settings, episodes, num_envs, threads=threads), copy=copy)


def grid_episodes(
    resources: int,
    workload: Source | None = None,
    jobs: int | None = None,
    transforms: tuple[str, ...] = (),
    load: Load | None = None,
    units: int | None = None,
) -> Episodes:
    """Return generated jobs for these resources, or those of a workload.

    Args:
        resources: of the grid.
        workload: with ``jobs`` and ``transforms`` as for ``choose_episodes``; None: new jobs in
            each episode.
        jobs: per episode.
        transforms: of the jobs.
        load: offered by generated jobs; each episode draws one if there are several. Default: 1.0.
        units: time units in which generated jobs arrive. If given, a workload such as
            ``bernoulli:load=1.3`` means generated jobs, too. Default: 100.
    """
    if isinstance(workload, str) and is_model(workload) and units is not None and load is None:
        load = _load_of(workload)
        workload = None
    if workload is not None:
        for name, given in (("load", load), ("units", units)):
            if given is not None:
                raise ParameterError(f"{name} is for generated jobs; omit it or the workload")
        return choose_episodes(workload, jobs, transforms)
    for name, unusable in (("jobs", jobs), ("transforms", transforms)):
        if unusable:
            raise ParameterError(f"{name} is for jobs of a workload; give a workload or omit it")
    loads = (1.0,) if load is None else tuple(load) if isinstance(load, Sequence) else (load,)
    return GridEpisodes(loads, 100 if units is None else units, Bernoulli(nodes=resources))


def _load_of(model: str) -> float:
    """Return the load of a ``bernoulli`` model, whose jobs arrive unit by unit; refuse others."""
    made = find_generator(model)
    if not isinstance(made, Bernoulli):
        raise ParameterError(f'units is for jobs of "bernoulli"; give jobs for "{model}"')
    return made.load
