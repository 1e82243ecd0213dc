"""How many episodes an evolution plays per second."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.table import Row

CANDIDATES, EPISODES, JOBS, REPEATS = 12, 32, 256, 5
A_MINUTE = 20_000


def evolution() -> list[Row]:
    """Measure generations on Lublin jobs, two threads; nothing if the extra is not installed."""
    try:
        import cma  # noqa: F401
    except ModuleNotFoundError:
        return []
    return [episodes("bounded_slowdown", ()), episodes("utilisation", ("interarrival=0",))]


def episodes(metric: str, transforms: tuple[str, ...]) -> Row:
    """Measure random candidates that use every feature; all draws are made before."""
    from functools import partial

    from schedlab.evolve import Arena, Episode, WeightedObjective
    from schedlab.platform import Platform
    from schedlab.policies.evolved import EvolvedPolicy, Priority
    from schedlab.policies.features import FEATURES
    from schedlab.workload.episodes import GeneratedEpisodes

    random = np.random.default_rng(1)
    drawn = GeneratedEpisodes("lublin:nodes=256", JOBS, transforms)
    machine = Platform.homogeneous(256)
    played = [Episode(drawn.draw(random), machine) for _ in range(EPISODES)]
    weights = random.normal(size=(CANDIDATES, 2, len(FEATURES)))
    candidates = [
        Priority("drawn", *(dict(zip(FEATURES, part, strict=True)) for part in each))
        for each in weights.tolist()
    ]
    arena = Arena(objective=WeightedObjective.parse([metric]), threads=2)
    best_s = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter()
        arena.measure([partial(EvolvedPolicy, each) for each in candidates], played)
        best_s = min(best_s, time.perf_counter() - began)
    name = f"evolve for {metric}, {JOBS} jobs, 2 threads"
    return Row(name, CANDIDATES * EPISODES / best_s, "episodes/s", A_MINUTE / 60)
