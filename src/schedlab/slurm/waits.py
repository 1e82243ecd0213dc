"""Waits of jobs, in reality and in replays, for figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.slurm.replay import Times, TwinReplay

AS_IT_WAS, TWIN, CHANGED = "as it was", "twin", "twin, changed"


@dataclass(frozen=True, eq=False)
class JobWaits:
    """Waits of the same jobs in reality and in replays, in seconds.

    Args:
        submit_s: when each job was submitted, on the history's clock.
        by_name: the waits under ``AS_IT_WAS``, ``TWIN`` and ``CHANGED``, of each replay;
            ``AS_IT_WAS`` is missing where the history does not say when all of them started.
    """

    submit_s: Times
    by_name: dict[str, tuple[Times, ...]]

    @classmethod
    def of(
        cls,
        submit_s: Times,
        real_s: Times,
        replays: Mapping[str, Sequence[TwinReplay]],
        jobs: NDArray[np.bool_],
    ) -> JobWaits:
        """Return the waits of some of the jobs of a history.

        Args:
            submit_s: submissions of all jobs.
            real_s: when they really started; nan if unknown.
            replays: replays by name.
            jobs: the jobs to return.
        """
        submitted_s = submit_s[jobs]
        real = real_s[jobs] - submitted_s
        found: dict[str, tuple[Times, ...]] = {}
        if not np.isnan(real).any():
            found[AS_IT_WAS] = (real,)
        for name, made in replays.items():
            found[name] = tuple(each.start_s[jobs] - submitted_s for each in made)
        return cls(submitted_s, found)

    def quantiles(self, percent: Sequence[float]) -> dict[str, list[float]]:
        """Return the waits that these percentages of the jobs did not exceed, by name.

        The jobs of all replays count together.
        """
        return {
            name: np.percentile(np.concatenate(each), percent).tolist()
            for name, each in self.by_name.items()
            if len(self.submit_s)
        }
