"""``[episodes]`` of a training file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.environments import Settings, environment_of
from schedlab.workload.episodes import Episodes
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
        """Return the episodes; a file is looked for beside the training file."""
        name = self.workload
        workload = name if name is None or is_model(name) else folder / name
        return environment_of(environment).episodes(self, workload)
