"""Settings of an evolution: how long it searches, in how many episodes, with which seed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from schedlab.errors import ParameterError
from schedlab.units import require_whole


class Purpose(IntEnum):
    """What random numbers are used for; each purpose has its own stream of the seed."""

    LEARNING = 0
    TESTS = 1
    GENERATIONS = 2
    CANDIDATES = 3


_MOST_STEP = 1e6
"""The largest weight of a start is 1: beyond this step the squares of the search soon overflow."""

_LEAST = {
    "generations": 1,
    "round": 1,
    "population": 4,
    "episodes": 1,
    "pool": 1,
    "validation": 1,
    "test": 2,
    "seed": 0,
}


@dataclass(frozen=True, kw_only=True)
class EvolveSettings:
    """The size of the search.

    Args:
        generations: how often candidates are drawn, measured and learnt from.
        round: number of generations of a search; the next search begins elsewhere, since any search
            may end in a local optimum.
        population: number of candidates of a generation. Default: as CMA-ES advises, about a dozen.
        episodes: number of episodes of a generation, taken from the pool, the same for all its
            candidates.
        pool: number of episodes drawn to learn from.
        validation: number of further episodes, by which the best of all generations is chosen.
        test: number of held-out episodes of the comparison at the end.
        step: the first spread of the candidates around the start, whose largest weight is 1.
        max_priority_gap: also search for the gap beyond which jobs behind the head are held back.
        test_share: share of the trace, or of all seeds of a model, from which nothing is learnt.
        seed: the seed of all random numbers.
    """

    generations: int = 150
    round: int = 50
    population: int | None = None
    episodes: int = 32
    pool: int = 400
    validation: int = 64
    test: int = 100
    step: float = 0.5
    max_priority_gap: bool = False
    test_share: float = 0.3
    seed: int = 0

    def random(self, purpose: Purpose, *more: int) -> np.random.Generator:
        """Return a random generator for one purpose."""
        return np.random.default_rng([self.seed, purpose, *more])

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None:
                require_whole(name, value, least)
        if self.episodes > self.pool:
            raise ParameterError(
                f"a generation of {self.episodes:,} episodes needs a pool as large; "
                f"it has {self.pool:,}"
            )
        if not 0 < self.step <= _MOST_STEP:
            raise ParameterError(f"step is {self.step:g}; must be > 0 and at most {_MOST_STEP:g}")
        if not 0 < self.test_share < 1:
            raise ParameterError(f"test_share is {self.test_share}; must be above 0 and below 1")
