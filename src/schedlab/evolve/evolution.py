"""CMA-ES over the weights of a priority (Hansen and Ostermeier, Evolutionary Computation 2001)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import MissingExtraError
from schedlab.evolve.arena import Arena, MakePolicy
from schedlab.evolve.objective import Values
from schedlab.evolve.record import Generation
from schedlab.evolve.scene import Episode
from schedlab.evolve.settings import EvolveSettings, Purpose
from schedlab.policies.evolved import EvolvedPolicy, Priority
from schedlab.policies.features import FEATURES, Weights

try:
    import cma
except ModuleNotFoundError:
    raise MissingExtraError("cma", "evolve") from None

EASY = "fcfs+easy"
STARTS: dict[str, Weights] = {
    "fcfs": {"log_wait": -1.0},
    "sjf": {"log_estimate": 1.0},
    "ljf": {"log_estimate": -1.0},
    "saf": {"log_estimate": 1.0, "log_nodes": 1.0},
    "laf": {"log_estimate": -1.0, "log_nodes": -1.0},
    "snf": {"log_nodes": 1.0},
    "lnf": {"log_nodes": -1.0},
}
"""Orders of the table as weights; each round of the search begins at a new one, the best first."""

MAX_PRIORITY_GAP = 0.3
"""Where the search for the gap begins: twice the score of the head, as a decimal logarithm."""

DECIMALS = 3
"""Decimals of a weight; validation and test measure the rounded policy."""

Point = NDArray[np.float64]


class Evolution:
    """A search for weights, generation by generation.

    All candidates of a generation play the same episodes. After each generation, the mean of the
    search is measured in the validation episodes, which are always the same, and the best such mean
    is kept.
    """

    def __init__(self, arena: Arena, settings: EvolveSettings, episodes: Sequence[Episode]) -> None:
        """Measure FCFS + EASY in all episodes, and find the best start."""
        self.arena, self.settings, self.objective = arena, settings, arena.objective
        self.pool, self.validation = episodes[: settings.pool], episodes[settings.pool :]
        (under_easy,) = arena.measure_named([EASY], episodes)
        self.objective.check(under_easy)
        self._easy_pool, self.easy = under_easy[: settings.pool], under_easy[settings.pool :]
        self.features = _searched(arena.predict)
        self.generations: list[Generation] = []
        self._starts, self.values, self.best_cost = self._rank_starts()
        self.best = self._starts[0]
        self._strategy = self._begin(0)

    @property
    def population(self) -> int:
        """The number of candidates of a generation."""
        return int(self._strategy.popsize)

    def step(self) -> None:
        """Draw, measure and learn from a generation."""
        points = self._ask()
        random = self.settings.random(Purpose.GENERATIONS, len(self.generations))
        chosen = random.choice(len(self.pool), self.settings.episodes, replace=False)
        episodes, under_easy = [self.pool[each] for each in chosen], self._easy_pool[chosen]
        measured = self.arena.measure([self._maker(self._priority(p)) for p in points], episodes)
        costs = tuple(self.objective.cost(values, under_easy) for values in measured)
        self._strategy.tell(points, costs)
        mean = self._mean()
        values = self._validate(mean)
        cost = self.objective.cost(values, self.easy)
        self.generations.append(Generation(costs, cost))
        self._keep_if_better(mean, values, cost)

    def repeat(self, generations: Sequence[Generation]) -> None:
        """Learn again from generations that were measured before."""
        for each in generations:
            points = self._ask()  # may begin another strategy
            self._strategy.tell(points, each.costs)
            self.generations.append(each)
            if each.validation < self.best_cost:
                mean = self._mean()
                self._keep_if_better(mean, self._validate(mean), each.validation)

    def _keep_if_better(self, mean: Priority, values: Values, cost: float) -> None:
        if cost < self.best_cost:
            self.best, self.values, self.best_cost = mean, values, cost

    def _rank_starts(self) -> tuple[list[Priority], Values, float]:
        """Return the starts, the best first, and the values and the cost of the best."""
        starts = [Priority(name, weights, weights) for name, weights in STARTS.items()]
        measured = self.arena.measure([self._maker(each) for each in starts], self.validation)
        costs = [self.objective.cost(values, self.easy) for values in measured]
        ranked = np.argsort(costs, kind="stable").tolist()
        return [starts[each] for each in ranked], measured[ranked[0]], costs[ranked[0]]

    def _ask(self) -> list[Point]:
        """Return the candidates of the next generation, which may be the first of a round."""
        number, place = divmod(len(self.generations), self.settings.round)
        if place == 0:
            self._strategy = self._begin(number)
        points: list[Point] = self._strategy.ask()
        return points

    def _begin(self, number: int) -> cma.CMAEvolutionStrategy:
        random = self.settings.random(Purpose.CANDIDATES, number)
        options = {
            "randn": lambda *shape: random.standard_normal(shape),
            "seed": math.nan,  # our random numbers, not those of the whole process
            "verbose": -9,
        }
        if self.settings.population is not None:
            options["popsize"] = self.settings.population
        start = self._starts[number % len(self._starts)]
        weights = [getattr(start, part).get(name, 0.0) for part, name in self.features]
        weights += [MAX_PRIORITY_GAP] if self.settings.max_priority_gap else []
        return cma.CMAEvolutionStrategy(weights, self.settings.step, options)

    def _mean(self) -> Priority:
        return _rounded(self._priority(self._strategy.mean))

    def _priority(self, point: Point) -> Priority:
        weights: dict[str, dict[str, float]] = {part: {} for part, _ in self.features}
        for (part, name), weight in zip(self.features, point.tolist(), strict=False):
            weights[part][name] = weight
        max_priority_gap = max(float(point[-1]), 0.0) if self.settings.max_priority_gap else None
        return Priority("evolved", **weights, max_priority_gap=max_priority_gap)

    def _validate(self, priority: Priority) -> Values:
        return self.arena.measure([self._maker(priority)], self.validation)[0]

    @staticmethod
    def _maker(priority: Priority) -> MakePolicy:
        return partial(EvolvedPolicy, priority)


def _searched(predict: str) -> list[tuple[str, str]]:
    """Return the features that can matter, by part of the policy."""
    # Without a predictor the estimate is the request, and what can be backfilled can start now.
    alike = {"log_request"} if predict == "request" else set()
    useless = {"head": alike, "backfill": alike | {"log_start_in"}}
    return [(part, name) for part in useless for name in FEATURES if name not in useless[part]]


def _rounded(found: Priority) -> Priority:
    """Make the largest weight 1: only the direction of the weights matters."""
    unit = _largest(found.head)
    gap = found.max_priority_gap
    return replace(
        found,
        head=_in_units(found.head, unit),
        backfill=_in_units(found.backfill, _largest(found.backfill)),
        max_priority_gap=None if gap is None else round(gap / unit, DECIMALS),
    )


def _largest(weights: Weights) -> float:
    return max(map(abs, weights.values())) or 1.0


def _in_units(weights: Weights, unit: float) -> Weights:
    return {name: round(weight / unit, DECIMALS) for name, weight in weights.items()}
