"""Times as axes show them: in a unit that suits the span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.sim import Schedule

_UNITS = ((86400, "days", 4 * 86400), (3600, "hours", 3 * 3600), (60, "minutes", 5 * 60))

DURATION_TICKS = {
    1: "1 s",
    10: "10 s",
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    86400: "1 d",
    864000: "10 d",
    8640000: "100 d",
    86400000: "1000 d",
}


@dataclass(frozen=True)
class TimeAxis:
    """The span from the first submission to the last end of some schedules."""

    first_s: int
    last_s: int
    unit_s: int
    label: str

    @classmethod
    def over(cls, schedules: Sequence[Schedule]) -> TimeAxis:
        """The axis on which all of them fit."""
        horizons = [schedule.horizon_s() for schedule in schedules]
        return cls.between(min(h[0] for h in horizons), max(h[1] for h in horizons))

    @classmethod
    def between(cls, first: int, last: int) -> TimeAxis:
        """The axis from the first submission to another time."""
        last = max(last, first + 1)
        for unit_s, name, least in _UNITS:
            if last - first >= least:
                return cls(first, last, unit_s, f"time since first submission ({name})")
        return cls(first, last, 1, "time since first submission (seconds)")

    @property
    def end(self) -> float:
        """Where the axis ends, in its unit; it begins at 0."""
        return self.at(float(self.last_s))

    def at(self, time_s: float) -> float:
        """The place of a time on the axis."""
        return (time_s - self.first_s) / self.unit_s

    def places(self, times_s: NDArray[np.int64]) -> NDArray[np.float64]:
        """The places of many times."""
        return (times_s - self.first_s) / self.unit_s

    def bins(self, most: int) -> NDArray[np.int64]:
        """At most so many equal bins over the span, by their edges."""
        count = max(1, min(most, self.last_s - self.first_s))
        return np.linspace(self.first_s, self.last_s, count + 1).round().astype(np.int64)
