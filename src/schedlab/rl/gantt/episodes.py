"""Episodes of the small grid, whose jobs the core draws."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from schedlab import _core
from schedlab.errors import ParameterError
from schedlab.units import require_whole
from schedlab.workload import Workload
from schedlab.workload.generators import Bernoulli

SEEDS = range(2**63)
FEWEST, MOST = 0.001, 1_000_000
"""Limits of an episode's mean number of jobs; with fewer it would be drawn again and again."""


@dataclass(frozen=True)
class GridEpisodes:
    """Jobs that arrive within some time units, drawn again for each episode.

    They follow the law of the generator ``bernoulli``, given that there is at least one.

    Args:
        loads: offered loads, of which each episode draws one.
        units: time units in which jobs arrive.
        model: the other constants of the law.
        seeds: of the episodes.
    """

    loads: tuple[float, ...] = (1.0,)
    units: int = 100
    model: Bernoulli = field(default_factory=Bernoulli)
    seeds: range = SEEDS

    def __post_init__(self) -> None:
        if not self.loads:
            raise ParameterError("loads is empty; must have at least one load")
        require_whole("units", self.units, 1)
        if self.model.unit_s != 1:
            raise ParameterError(f"unit_s is {self.model.unit_s}; must be 1")
        for load in self.loads:
            jobs = self.units * replace(self.model, load=load).arrivals_per_unit
            if not FEWEST <= jobs <= MOST:
                raise ParameterError(
                    f"load {load:g} over {self.units:,} time units makes {jobs:.2g} jobs per "
                    f"episode; must be from {FEWEST} to {MOST:,}"
                )

    @property
    def longest_request_s(self) -> int:
        """The longest request that a job can have."""
        return max(self.model.short_run[1], self.model.long_run[1])

    def choose(self, random: np.random.Generator) -> tuple[_core.BernoulliLaw, int]:
        """Return the law of the next episode, and the seed for it."""
        which = int(random.integers(len(self._laws))) if len(self._laws) > 1 else 0
        return self._laws[which], int(random.integers(self.seeds.start, self.seeds.stop))

    def draw(self, random: np.random.Generator) -> Workload:
        """Return the jobs of the next episode."""
        law, seed = self.choose(random)
        return grid_workload(law.draw(seed), self.model.nodes)

    def split(self, share: float) -> tuple[GridEpisodes, GridEpisodes]:
        """Return episodes to learn from, and episodes by the last share of all seeds to test on."""
        first, last = self.seeds.start, self.seeds.stop
        cut = first + int((last - first) * (1 - share))
        return replace(self, seeds=range(first, cut)), replace(self, seeds=range(cut, last))

    @cached_property
    def _laws(self) -> list[_core.BernoulliLaw]:
        return [self._law(load) for load in self.loads]

    def _law(self, load: float) -> _core.BernoulliLaw:
        model = replace(self.model, load=load)
        return _core.BernoulliLaw(
            arrivals_per_unit=model.arrivals_per_unit,
            units=self.units,
            short_share=model.short_share,
            short_run=model.short_run,
            long_run=model.long_run,
            narrow_share=model.narrow_share,
            narrow_nodes=model.narrow_nodes,
            wide_nodes=model.wide_nodes,
        )


def grid_workload(columns: tuple[Any, Any, Any], resources: int) -> Workload:
    """Return the core's jobs as a workload, given submissions, resources and run times."""
    submit_s, nodes, run_s = columns
    machine = (str(resources),)
    return Workload(
        {
            "job_id": np.arange(1, len(submit_s) + 1),
            "submit_s": submit_s,
            "nodes": nodes,
            "request_s": run_s,
            "run_s": run_s,
        },
        name="grid",
        header={"MaxNodes": machine, "MaxProcs": machine},
    )
