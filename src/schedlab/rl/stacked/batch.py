"""The environments of many trainings in one native batch."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.workload import Workload
from schedlab.workload.episodes import Episodes


class PopulationBatch(QueueBatch):
    """Environments whose jobs come from several sources, the same number from each."""

    def __init__(
        self,
        settings: QueueSettings,
        sources: Sequence[Episodes],
        each: int,
        *,
        seeds: Sequence[int],
        threads: int,
    ) -> None:
        """Prepare the environments; those of a source have its seed and the numbers after it."""
        size = each * len(sources)
        # Trainers without masks try forbidden actions: that is no mistake to warn of.
        super().__init__(settings, sources[0], size, threads=threads, warns=False)
        self._sources, self._each = list(sources), each
        self.seed([seed + place for seed in seeds for place in range(each)])

    def next_jobs(self, place: int) -> Workload:
        """Draw jobs from the source of this environment."""
        return self._sources[place // self._each].draw(self.random[place])

    def begin(self) -> None:
        """Begin an episode in every environment."""
        for place in range(self.size):
            self.reset(place)
