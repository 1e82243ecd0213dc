"""The evolution strategy of ``lookahead:evolve``, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence

from schedlab.testing.reference.mix import mix

FIRST, FIRST_STEP, LEAST_STEP, NEW = (0.25, 0.0), 0.3, 0.05, 0.2

Weights = Sequence[float]


class WeightSearch:
    """Improves two weights; each has a variance of its own."""

    def __init__(self, seed: int) -> None:
        self.mean = list(FIRST)
        self.variance = [FIRST_STEP**2] * len(FIRST)
        self._seed, self._generation = seed, 0

    def ask(self, count: int) -> list[list[float]]:
        """Return the weights to try: normal around the mean."""
        bits = mix(mix(self._seed) ^ self._generation)

        def uniform() -> float:
            nonlocal bits
            bits = mix(bits)
            return (bits >> 11) * 2.0**-53

        return [
            [
                mean
                + math.sqrt(variance)
                * math.sqrt(-2 * math.log(1 - uniform()))
                * math.cos(2 * math.pi * uniform())
                for mean, variance in zip(self.mean, self.variance, strict=True)
            ]
            for _ in range(count)
        ]

    def tell(self, tried: Sequence[Weights], scores: Sequence[float]) -> None:
        """Move to the better half, the best with the most weight; stay if all are equally good."""
        self._generation += 1
        if len(set(scores)) < 2:
            return
        order = sorted(range(len(tried)), key=scores.__getitem__)
        parents = [tried[place] for place in order[: max(len(tried) // 2, 1)]]
        share = [math.log(len(parents) + 0.5) - math.log(k + 1) for k in range(len(parents))]
        for i, before in enumerate(self.mean):
            values = [each[i] for each in parents]
            found = [(part / sum(share), each) for part, each in zip(share, values, strict=True)]
            self.mean[i] = sum(part * each for part, each in found)
            square = sum(part * (each - before) ** 2 for part, each in found)
            self.variance[i] = max((1 - NEW) * self.variance[i] + NEW * square, LEAST_STEP**2)
