"""Search the weights of a linear order by CMA-ES, by what steering with it does to a history."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from schedlab.errors import MissingExtraError
from schedlab.evolve.record import Generation, read_record, write_record

try:
    import cma
except ModuleNotFoundError:
    raise MissingExtraError("cma", "evolve") from None

START = {"log_request": 1.0, "log_nodes": 1.0, "log_wait": -0.5, "log_slowdown": -0.5}
"""Small jobs first, unless they have waited long."""
STEP = 0.5


def linear(point: Sequence[float]) -> str:
    """Return the policy of these weights."""
    weights = ",".join(f"{name}={weight:.3f}" for name, weight in zip(START, point, strict=True))
    return f"linear:{weights}"


def search_weights(
    cost: Callable[[str], float],
    generations: int,
    seed: int,
    record: Path,
    determined_by: dict[str, Any],
    tell: Callable[[int, float], object] = lambda done, best: None,
) -> str:
    """Return the policy with the lowest cost that was found.

    An interrupted search goes on from its record, and ends with the same result.

    Args:
        cost: returns the cost of a policy.
        generations: number of generations to draw, measure and learn from.
        seed: seed of these draws.
        record: the file that keeps what was measured.
        determined_by: everything that determines the result; a record of another search is not
            continued.
        tell: called with the number of generations that are done, and the lowest cost.
    """
    random = np.random.default_rng(seed)
    strategy = cma.CMAEvolutionStrategy(
        list(START.values()),
        STEP,
        {
            "bounds": [-3.0, 3.0],
            "randn": lambda *shape: random.standard_normal(shape),
            "seed": math.nan,  # draw from our own generator, not from the process's
            "verbose": -9,
        },
    )
    past = read_record(record, determined_by, strategy.popsize) if record.exists() else []
    done: list[Generation] = []
    best, least = linear(list(START.values())), math.inf
    for at in range(generations):
        points = strategy.ask()
        policies = [linear(point) for point in points]
        costs = list(past[at].costs) if at < len(past) else [cost(each) for each in policies]
        strategy.tell(points, costs)
        if min(costs) < least:
            least = min(costs)
            best = policies[costs.index(least)]
        done.append(Generation(tuple(costs), least))
        write_record(record, determined_by, done)
        tell(at + 1, least)
    return best
