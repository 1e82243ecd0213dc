"""Summaries of distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]


@dataclass(frozen=True)
class BoxPlot:
    """Least and greatest value, quartiles and mean."""

    least: float
    q25: float
    median: float
    q75: float
    greatest: float
    mean: float

    @classmethod
    def of(cls, values: Values) -> BoxPlot:
        """Describe these values, at least one."""
        least, q25, median, q75, greatest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
        return cls(least, q25, median, q75, greatest, float(values.mean()))


@dataclass(frozen=True)
class Histogram:
    """Jobs in each class; a class excludes its lower edge and includes its upper edge."""

    edges: tuple[int, ...]
    jobs: tuple[int, ...]

    @classmethod
    def doubling(cls, values: Values) -> Histogram:
        """Count numbers >= 0 in the classes 0 to 1, 2, 3 to 4, 5 to 8, ..."""
        power = np.ceil(np.log2(np.maximum(values, 1))).astype(np.int64)
        jobs = np.bincount(power).tolist()
        return cls((0, *(1 << exponent for exponent in range(len(jobs)))), tuple(jobs))
