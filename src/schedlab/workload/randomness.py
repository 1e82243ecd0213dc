"""Random numbers from a seed: the same seed gives the same workload."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schedlab.errors import ParameterError

Seed = int | Sequence[int]


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return the sequence from which independent generators, one per purpose, are spawned."""
    try:
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise ParameterError(f"seed {seed!r}; must be an integer >= 0") from None
