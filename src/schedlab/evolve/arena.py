"""Measurement of policies in many episodes in parallel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.evolve.objective import Values, WeightedObjective
from schedlab.evolve.scene import Episode
from schedlab.policies import find_policy
from schedlab.processors import usable_processors
from schedlab.sim import simulate

MakePolicy = Callable[[], _core.Policy]
"""A new policy: each simulation needs its own."""


@dataclass(frozen=True, kw_only=True)
class Arena:
    """The metrics to measure, and the rules of the simulation.

    Args:
        objective: the objective whose metrics are measured.
        tick: events are seen at multiples of this, in seconds; 0: at once.
        kill_at_request: a job that exceeds its request is killed then.
        predict: the predictor of run times.
        threads: number of parallel simulations. Default: the number of processors.
    """

    objective: WeightedObjective
    tick: int = 0
    kill_at_request: bool = True
    predict: str = "request"
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise ParameterError(f"threads is {self.threads}; must be >= 1")

    def measure(self, policies: Sequence[MakePolicy], episodes: Sequence[Episode]) -> list[Values]:
        """Return for each policy its values in every episode."""
        games = product(policies, episodes)
        with ThreadPoolExecutor(self.threads or usable_processors()) as pool:
            values = list(pool.map(lambda game: self._play(*game), games))
        return list(np.array(values).reshape(len(policies), len(episodes), -1))

    def measure_named(self, names: Sequence[str], episodes: Sequence[Episode]) -> list[Values]:
        """Return for each policy with such a name its values in every episode."""
        return self.measure([partial(_named, name) for name in names], episodes)

    def _play(self, make: MakePolicy, episode: Episode) -> list[float]:
        schedule = simulate(
            episode.jobs,
            episode.platform,
            make(),
            tick=self.tick,
            kill_at_request=self.kill_at_request,
            predict=self.predict,
        )
        return [goal.metric.value(schedule) for goal in self.objective.goals]


def _named(name: str) -> _core.Policy:
    return find_policy(name).core
