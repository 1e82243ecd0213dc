"""Means with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedlab.metrics.intervals import t_interval
from schedlab.units import three_digits


class Estimate(NamedTuple):
    """A mean and its 95 % confidence interval, NaN where there are fewer than two values."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float] | NDArray[np.float64]) -> Estimate:
        """Estimate by Student's t over independent values, such as one per episode; ignore NaN."""
        known = [float(value) for value in values if not math.isnan(value)]
        mean = float(np.mean(known)) if known else math.nan
        return cls(mean, *(t_interval(known) or (math.nan, math.nan)))

    @classmethod
    def of_share(cls, values: NDArray[np.float64], episode: NDArray[np.int64]) -> Estimate:
        """Estimate a share from 0 to 1 by episodes' means: situations of one episode are alike."""
        known = ~np.isnan(values)
        episodes = np.unique(episode[known])
        found = cls.of([float(values[known & (episode == each)].mean()) for each in episodes])
        return cls(*(float(np.clip(number, 0, 1)) for number in found))

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval is known and lies on one side of 0."""
        return self.low > 0 or self.high < 0

    def within(self, change: Estimate) -> Estimate:
        """Return the same mean with an interval as wide as that of the change that led to it."""
        return Estimate(self.mean, *(self.mean - change.mean + end for end in change[1:]))

    def told(self, scale: float = 1.0, unit: str = "") -> str:
        """Return ``"3.20 (95 %: 2.10 to 4.30)"``, with the unit after each number."""
        mean, low, high = (three_digits(scale * value) + unit for value in self)
        return mean if math.isnan(self.low) else f"{mean} (95 %: {low} to {high})"


@dataclass(frozen=True)
class EstimatedRow:
    """A row of a table: a dataclass of names and estimates, None where there is no estimate."""

    def to_dict(self) -> dict[str, Any]:
        """Return the row as values for JSON."""
        return {each.name: as_json(getattr(self, each.name)) for each in fields(self)}

    def to_cells(self) -> dict[str, str | float]:
        """Return the row as cells for CSV: three per estimate, empty where a number is unknown."""
        cells: dict[str, str | float] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, str):
                cells[each.name] = value
                continue
            for part, number in zip(("", "_low", "_high"), value or [math.nan] * 3, strict=True):
                cells[each.name + part] = number if math.isfinite(number) else ""
        return cells


def as_json(value: Any) -> Any:
    """Return estimates as objects, and null for numbers that are not known."""
    if isinstance(value, Estimate):
        return {name: as_json(number) for name, number in value._asdict().items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
