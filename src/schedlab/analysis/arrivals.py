"""Submissions of jobs by hour of day and by weekday."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.analysis.clock import Clock

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY_S = 86400
_THURSDAY = 3


@dataclass(frozen=True)
class ArrivalPattern:
    """Submissions on the cluster's own clock."""

    zone: str
    by_hour: tuple[int, ...]
    """Jobs submitted in each hour of the day, from midnight."""
    by_weekday: tuple[int, ...]
    """Jobs submitted on each day of the week, from Monday."""

    @classmethod
    def of(cls, submit_s: NDArray[np.int64], clock: Clock) -> ArrivalPattern:
        """Count the submissions, given in seconds of the trace."""
        local_s = clock.local_s(submit_s)
        hour = local_s % _DAY_S // 3600
        weekday = (local_s // _DAY_S + _THURSDAY) % 7
        return cls(
            str(clock.zone),
            tuple(np.bincount(hour, minlength=24).tolist()),
            tuple(np.bincount(weekday, minlength=7).tolist()),
        )
