"""The contract of a metric: one number for a schedule, or one number for each of its jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics.weights import job_weights
from schedlab.sim import Schedule

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """One number for a schedule; ``formula``'s docstring gives the formula.

    Two values of a ``signed`` metric, such as a correlation, are compared by their difference:
    their quotient means nothing.
    """

    formula: Callable[[Schedule], Any]
    unit: str
    smaller_is_better: bool = True
    signed: bool = False

    @property
    def sentence(self) -> str:
        """What the metric says, in one sentence."""
        return (self.formula.__doc__ or "").partition("\n")[0]

    def value(self, schedule: Schedule) -> float:
        """Return the number; NaN where it is not defined, as for an empty schedule."""
        return float(self.formula(schedule))


class JobMetric(Metric):
    """One number for each job; for the schedule their mean.

    Jobs that never ran are left out, and so are those for which ``formula`` gives NaN.
    """

    def of_jobs(self, schedule: Schedule) -> Values:
        """Return the number for each job, NaN for jobs that are left out."""
        return np.where(schedule.started, self.formula(schedule), np.nan)

    def value(self, schedule: Schedule) -> float:
        """Return the mean over jobs."""
        return self.mean(schedule)

    def mean(self, schedule: Schedule, weight: str = "job") -> float:
        """Return the mean in which each ``job``, ``node_second`` or ``user`` counts the same."""
        values, weights = self._weighted(schedule, weight)
        total = weights.sum()
        return float(np.dot(values, weights) / total) if total > 0 else float("nan")

    def percentile(self, schedule: Schedule, percent: float, weight: str = "job") -> float:
        """Return the smallest value that covers this percentage of the weight."""
        values, weights = self._weighted(schedule, weight)
        if not weights.sum() > 0:
            return float("nan")
        found = np.percentile(values, percent, weights=weights, method="inverted_cdf")
        return float(found)

    def _weighted(self, schedule: Schedule, weight: str) -> tuple[Values, Values]:
        values, weights = self.of_jobs(schedule), job_weights(schedule, weight)
        counted = ~np.isnan(values)
        return values[counted], weights[counted]
