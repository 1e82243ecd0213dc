"""The environments of many trainings in one native batch."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.workload import Workload
from schedlab.workload.episodes import Episodes


class PopulationBatch(QueueBatch):
    """Environments whose jobs come from several places, a number from each."""

    warns = False  # trainers without masks try what they forbid

    def __init__(
        self,
        settings: QueueSettings,
        sources: Sequence[Episodes],
        each: int,
        *,
        seeds: Sequence[int],
        threads: int,
    ) -> None:
        """Prepare them; those of a source have its seed and the numbers after it."""
        super().__init__(settings, sources[0], each * len(sources), threads=threads)
        self._sources, self._each = list(sources), each
        self.seed([seed + place for seed in seeds for place in range(each)])

    def next_jobs(self, place: int) -> Workload:
        """Draw jobs where those of this environment come from."""
        return self._sources[place // self._each].draw(self.random[place])

    def begin(self) -> None:
        """Begin an episode in every environment."""
        for place in range(self.size):
            self.reset(place)
