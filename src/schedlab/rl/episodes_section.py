"""``[episodes]`` of a training file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedlab.errors import ParameterError
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.environments import GANTT, Settings
from schedlab.rl.gantt.env import grid_episodes
from schedlab.rl.gantt.settings import GanttSettings
from schedlab.workload.episodes import Episodes, MixedEpisodes, choose_episodes
from schedlab.workload.generators import is_model

_QUEUE = QueueSettings()


@dataclass(frozen=True, kw_only=True)
class EpisodesSection:
    """``[episodes]``: where jobs come from, as for ``choose_episodes`` and ``grid_episodes``.

    ``others`` are further models, each with transforms of its own after it, as in
    ``wl2 set_run=0.5``; episodes come from all of them equally often.
    """

    workload: str | None = None
    others: tuple[str, ...] = ()
    jobs: int | None = None
    transforms: tuple[str, ...] = ()
    seed: int | None = None
    load: float | tuple[float, ...] | None = None
    units: int | None = None

    def open(self, folder: Path, environment: Settings = _QUEUE) -> Episodes:
        """The episodes; a file is looked for beside the training file."""
        name = self.workload
        workload = name if name is None or is_model(name) else folder / name
        if isinstance(environment, GanttSettings):
            return self._on_the_grid(workload, environment)
        for key in ("load", "units"):
            if getattr(self, key) is not None:
                raise ParameterError(f'{key} in [episodes] is for id = "{GANTT}" in [environment]')
        first = choose_episodes(workload or "wl1", self.jobs, self.transforms, self.seed)
        others = [self._other(text) for text in self.others]
        return MixedEpisodes((first, *others)) if others else first

    def _other(self, text: str) -> Episodes:
        model, *own = text.split()
        if not is_model(model):
            raise ParameterError(f'others in [episodes] has "{text}"; must begin with a model')
        return choose_episodes(model, self.jobs, (*own, *self.transforms), self.seed)

    def _on_the_grid(self, workload: str | Path | None, environment: GanttSettings) -> Episodes:
        for key in ("seed", "others"):
            if getattr(self, key):
                raise ParameterError(
                    f'{key} in [episodes] is not for id = "{GANTT}" in [environment]'
                )
        return grid_episodes(
            environment.resources, workload, self.jobs, self.transforms, self.load, self.units
        )
