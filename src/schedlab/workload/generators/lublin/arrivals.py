"""The times at which jobs arrive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.workload.generators.checks import require_positive
from schedlab.workload.generators.lublin.daily_cycle import BUCKET_S, DailyCycle
from schedlab.workload.generators.lublin.rejection import MAX_ROUNDS, redraw_above

Floats = NDArray[np.float64]

BLOCK = 256


@dataclass(frozen=True)
class LublinArrivals:
    """The gap between two arrivals: its logarithm is gamma, and the daily cycle stretches it.

    ``alpha`` and ``beta`` describe the rush hours; ``rush_to_all_day`` (ARAR) times alpha is the
    shape for the whole day. The logarithm is drawn again above ``max_ln_gap``; with ``max_gap_s``
    a gap is also drawn again if, stretched by the cycle, it is longer than that.
    """

    alpha: float = 10.2303
    beta: float = 0.4871
    rush_to_all_day: float = 1.0225
    cycle_alpha: float = 8.1737
    cycle_beta: float = 3.9631
    cycle_first_bucket: int = 11
    max_ln_gap: float = 13.0
    max_gap_s: float | None = None

    def __post_init__(self) -> None:
        require_positive(
            alpha=self.alpha,
            beta=self.beta,
            rush_to_all_day=self.rush_to_all_day,
            cycle_alpha=self.cycle_alpha,
            cycle_beta=self.cycle_beta,
            max_ln_gap=self.max_ln_gap,
            max_gap_s=1 if self.max_gap_s is None else self.max_gap_s,
        )

    def cycle(self) -> DailyCycle:
        """Return the weights of the half hours of the day."""
        return DailyCycle.gamma(self.cycle_alpha, self.cycle_beta, self.cycle_first_bucket)

    def draw(
        self, rng: np.random.Generator, jobs: int, cycle: DailyCycle, start_clock_s: float = 0.0
    ) -> Floats:
        """Draw the times of arrivals after a start at a time of day.

        Times stay fractional: truncating each would make the clock lose half a second per job and
        the daily cycle drift.
        """
        points = cycle.points_at(start_clock_s)
        if self.max_gap_s is None:
            times_s = cycle.time_s(points + np.cumsum(self._points(rng, jobs)))
        else:
            times_s = self._draw_bounded(rng, jobs, cycle, points, self.max_gap_s)
        return times_s - start_clock_s

    def _draw_bounded(
        self,
        rng: np.random.Generator,
        jobs: int,
        cycle: DailyCycle,
        points: float,
        max_gap_s: float,
    ) -> Floats:
        """Draw times of arrivals in blocks; after too long a gap the rest is drawn again."""
        blocks: list[Floats] = []
        made = refused = 0
        while made < jobs:
            ahead = np.cumsum([points, *self._points(rng, min(BLOCK, jobs - made))])
            times_s = cycle.time_s(ahead)
            too_long = np.diff(times_s) > max_gap_s
            good = int(np.argmax(too_long)) if too_long.any() else len(too_long)
            refused = 0 if good else refused + 1
            if refused > MAX_ROUNDS:
                raise ParameterError(
                    f"gaps are hardly ever below max_gap_s = {max_gap_s:g}; raise it"
                )
            blocks.append(times_s[1 : good + 1])
            points, made = ahead[good], made + good
        return np.concatenate(blocks)

    def _points(self, rng: np.random.Generator, jobs: int) -> Floats:
        shape = self.alpha * self.rush_to_all_day
        ln_gap = redraw_above(
            self.max_ln_gap, jobs, lambda places: rng.gamma(shape, self.beta, len(places))
        )
        return np.exp(ln_gap) / BUCKET_S
