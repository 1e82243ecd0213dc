"""Times as axes show them: as dates where the trace has them, else in a suitable unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedlab.analysis import Clock
from schedlab.sim import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


DAY_S = 86400.0
"""The unit of dates that Matplotlib counts in, from 1970 on."""
MILLISECOND_S = 0.001
"""The unit of dates that Bokeh counts in, from 1970 on."""


@dataclass(frozen=True)
class TimeAxis:
    """The span from the first submission to the last end of some schedules.

    Args:
        first_s: the first submission.
        last_s: the last end.
        unit_s: what the axis counts in.
        label: the label of the axis.
        origin_s: the time that has place 0.
        dates: whether places are dates, counted from 1970 on in local time.
    """

    first_s: int
    last_s: int
    unit_s: float
    label: str
    origin_s: int
    dates: bool = False

    @classmethod
    def over(cls, schedules: Sequence[Schedule], date_unit_s: float = DAY_S) -> TimeAxis:
        """Return the axis on which all schedules fit.

        It shows dates, in the given unit, if all schedules have the same clock.
        """
        horizons = [schedule.horizon_s() for schedule in schedules]
        first, last = min(h[0] for h in horizons), max(h[1] for h in horizons)
        clocks = {Clock.of(schedule.workload.header) for schedule in schedules}
        clock = clocks.pop()
        return cls.on_clock(first, last, None if clocks else clock, date_unit_s)

    @classmethod
    def on_clock(
        cls, first: int, last: int, clock: Clock | None, date_unit_s: float = DAY_S
    ) -> TimeAxis:
        """Return the axis between two times.

        It shows dates, in the given unit, if there is a clock.
        """
        begin, end = (None, None) if clock is None else (clock.at(first), clock.at(last))
        if begin is None or end is None:
            return cls.between(first, last)
        # With a clock that changes within the span, some hours would come twice or never.
        ahead_s = int((begin.utcoffset() or timedelta()).total_seconds())
        origin_s = first - int(begin.timestamp()) - ahead_s
        label = f"date (UTC{begin.isoformat()[-6:]})" if ahead_s else "date (UTC)"
        return cls(first, max(last, first + 1), date_unit_s, label, origin_s, dates=True)

    @classmethod
    def between(cls, first: int, last: int) -> TimeAxis:
        """Return the axis from the first submission to another time."""
        last = max(last, first + 1)
        for unit_s, name, least in _UNITS:
            if last - first >= least:
                return cls(first, last, unit_s, f"time since first submission ({name})", first)
        return cls(first, last, 1, "time since first submission (seconds)", first)

    @property
    def begin(self) -> float:
        """Where the axis begins, in its unit."""
        return self.at(float(self.first_s))

    @property
    def length(self) -> float:
        """How long the axis is, in its unit."""
        return self.end - self.begin

    @property
    def end(self) -> float:
        """Where the axis ends, in its unit."""
        return self.at(float(self.last_s))

    def at(self, time_s: float) -> float:
        """Return the place of a time on the axis."""
        return (time_s - self.origin_s) / self.unit_s

    def places(self, times_s: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the places of several times."""
        return (times_s - self.origin_s) / self.unit_s

    def bins(self, most: int) -> NDArray[np.int64]:
        """Return the edges of equal bins over the span, up to a number of bins."""
        count = max(1, min(most, self.last_s - self.first_s))
        return np.linspace(self.first_s, self.last_s, count + 1).round().astype(np.int64)


def label_time(axes: Axes, axis: TimeAxis) -> None:
    """Label the time axis of Matplotlib's axes; dates are as short as the span allows."""
    axes.set_xlabel(axis.label)
    if axis.dates:
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator(minticks=3, maxticks=9)  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
