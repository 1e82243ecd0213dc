"""How long jobs run, given their size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.workload.generators.checks import require_positive
from schedlab.workload.generators.lublin.rejection import redraw_above


@dataclass(frozen=True)
class LublinRunTimes:
    """The logarithm of the run time is hyper-gamma: gamma 1 with probability p, else gamma 2.

    p = pa · nodes + pb, clipped to 0..1, falls with the size: wide jobs run longer. Both the branch
    and the value are drawn again while the logarithm exceeds ``max_ln_run``.
    """

    alpha1: float = 4.2
    beta1: float = 0.94
    alpha2: float = 312.0
    beta2: float = 0.03
    pa: float = -0.0054
    pb: float = 0.78
    max_ln_run: float = 12.0

    def __post_init__(self) -> None:
        require_positive(
            alpha1=self.alpha1,
            beta1=self.beta1,
            alpha2=self.alpha2,
            beta2=self.beta2,
            max_ln_run=self.max_ln_run,
        )

    def draw(self, rng: np.random.Generator, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw run times in whole seconds, at least 1, for jobs of these sizes."""
        p = np.clip(self.pa * nodes + self.pb, 0, 1)

        def ln_run(places: NDArray[np.intp]) -> NDArray[np.float64]:
            first = rng.random(len(places)) < p[places]
            alpha = np.where(first, self.alpha1, self.alpha2)
            return rng.standard_gamma(alpha) * np.where(first, self.beta1, self.beta2)

        return np.exp(redraw_above(self.max_ln_run, len(nodes), ln_run)).astype(np.int64)
