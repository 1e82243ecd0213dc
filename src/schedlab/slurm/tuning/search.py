"""CMA-ES over the settings of slurmctld (Hansen and Ostermeier, Evolutionary Computation 2001)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from schedlab.errors import MissingExtraError
from schedlab.evolve.record import Generation
from schedlab.slurm.tuning.knobs import Knob
from schedlab.slurm.tuning.trial import Setting, SettingTrial

try:
    import cma
except ModuleNotFoundError:
    raise MissingExtraError("cma", "evolve") from None

STEP = 0.25
"""How far the first candidates are from the present settings, on scales from 0 to 1."""
MARGIN = 0.02
"""A search begins this far from the ends of a scale, where it could go only one way."""


class Search:
    """A search for settings, generation by generation; the best setting seen is kept.

    Args:
        knobs: the parameters to search.
        measure: returns the trial of a setting; the same setting gives the same trial.
        seed: seed of the candidates.
    """

    def __init__(
        self, knobs: Sequence[Knob], measure: Callable[[Setting], SettingTrial], seed: int
    ) -> None:
        self.knobs, self._measure = list(knobs), measure
        self.generations: list[Generation] = []
        self.best = measure({})
        random = np.random.default_rng(seed)
        # A scale without effect makes a search of one parameter possible, too.
        places = [each.place(each.present) for each in self.knobs] + [0.5]
        start = [min(max(place, MARGIN), 1 - MARGIN) for place in places]
        self._strategy = cma.CMAEvolutionStrategy(
            start,
            STEP,
            {
                "bounds": [0.0, 1.0],
                "randn": lambda *shape: random.standard_normal(shape),
                "seed": math.nan,  # numbers come from randn, not from the global generator
                "verbose": -9,
            },
        )

    @property
    def population(self) -> int:
        """The number of candidates of a generation."""
        return int(self._strategy.popsize)

    def step(self) -> None:
        """Draw, measure and learn from a generation."""
        points = self._strategy.ask()
        trials = [self._measure(self._setting(each)) for each in points]
        self._strategy.tell(points, [each.cost for each in trials])
        self.best = min((self.best, *trials), key=lambda each: each.cost)
        self.generations.append(Generation(tuple(each.cost for each in trials), self.best.cost))

    def repeat(self, generations: Sequence[Generation]) -> None:
        """Learn again from generations that were measured before."""
        for each in generations:
            points = self._strategy.ask()
            self._strategy.tell(points, each.costs)
            self.generations.append(each)
            least = int(np.argmin(each.costs))
            if each.costs[least] < self.best.cost:
                self.best = self._measure(self._setting(points[least]))

    def prune(self, worth: float) -> None:
        """Undo changes that gain less than ``worth``, the least useful first."""
        setting = dict(self.best.setting)
        alone = {
            name: self._measure({key: setting[key] for key in setting if key != name})
            for name in setting
        }
        for name in sorted(alone, key=lambda name: alone[name].cost):
            trial = self._measure({key: setting[key] for key in setting if key != name})
            if trial.cost <= self.best.cost + worth:
                del setting[name]
                self.best = trial

    def _setting(self, point: Sequence[float]) -> Setting:
        values = {
            knob.name: knob.value(place) for knob, place in zip(self.knobs, point, strict=False)
        }
        present = {knob.name: knob.present for knob in self.knobs}
        return {name: value for name, value in values.items() if value != present[name]}
