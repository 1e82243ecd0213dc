"""How many nodes jobs take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.workload.generators.checks import require_probability


@dataclass(frozen=True)
class Sizes:
    """Serial with probability ``serial``, else 2^x with x two-stage uniform.

    x is uniform on [u_low, u_med] with probability ``u_prob``, else on [u_med, u_hi]. With
    probability ``pow2`` (of all jobs, not of the parallel ones) x is rounded, which makes a power
    of two.
    """

    serial: float = 0.244
    pow2: float = 0.576
    u_low: float = 0.8
    u_med: float = 4.5
    u_hi: float = 7.0
    u_prob: float = 0.86

    def __post_init__(self) -> None:
        require_probability(serial=self.serial, pow2=self.pow2, u_prob=self.u_prob)
        require_probability(**{"serial + pow2": self.serial + self.pow2})
        if not 0 <= self.u_low <= self.u_med <= self.u_hi <= MAX_U_HI:
            raise ParameterError(
                f"u_low {self.u_low:g}, u_med {self.u_med:g}, u_hi {self.u_hi:g}; "
                f"must not fall and must lie in 0..{MAX_U_HI}"
            )

    @property
    def max_nodes(self) -> int:
        """The machine the sizes are made for: 2^u_hi nodes."""
        return round(2**self.u_hi)

    def for_nodes(self, nodes: int) -> Sizes:
        """Return the sizes for another machine: u_hi and u_med move with log2 of its nodes.

        The published constants are for 128 nodes; each u keeps its distance from log2(nodes), which
        for the typeless class is the authors' u_hi = log2(nodes) and u_med = u_hi - 2.5.
        """
        shift = log2(nodes) - log2(PUBLISHED_NODES)
        u_hi = max(self.u_hi + shift, self.u_low)
        return replace(self, u_hi=u_hi, u_med=max(self.u_med + shift, self.u_low))

    def draw(self, rng: np.random.Generator, jobs: int) -> NDArray[np.int64]:
        """Draw the sizes of jobs; none is larger than the machine."""
        kind, stage, x = rng.random((3, jobs))
        low = stage < self.u_prob
        start = np.where(low, self.u_low, self.u_med)
        x = start + x * (np.where(low, self.u_med, self.u_hi) - start)
        x = np.where(kind < self.serial + self.pow2, np.rint(x), x)
        nodes = np.minimum(np.rint(np.exp2(x)), self.max_nodes)
        return np.where(kind < self.serial, 1, nodes).astype(np.int64)


PUBLISHED_NODES = 128
MAX_U_HI = 24
