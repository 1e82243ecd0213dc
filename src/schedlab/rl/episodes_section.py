"""``[episodes]`` of a training file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedlab.workload.generators import is_model


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

    def workload_in(self, folder: Path) -> str | Path | None:
        """Return the model, or the file in the folder of the training file."""
        name = self.workload
        return name if name is None or is_model(name) else folder / name
