"""The cluster's clock, as the header of a trace describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from schedlab.workload import Workload, header_int

_HALF_HOUR_S = 1800
"""The clocks of all time zones change at multiples of this."""

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Clock:
    """The Unix time of time 0 of the trace, and the time zone of the cluster."""

    begin_s: int
    zone: tzinfo
    zone_known: bool

    @classmethod
    def of(cls, header: Mapping[str, Sequence[str]]) -> Clock | None:
        """Read the clock from ``UnixStartTime``, and ``TimeZoneString`` or ``TimeZone``, else UTC.

        Return None if the header does not say when the trace begins; generators write 0.
        """
        begin_s = header_int(header, "UnixStartTime") or 0
        zone = _zone(header)
        clock = cls(begin_s, zone or UTC, zone is not None)
        return clock if begin_s > 0 and clock.at(0) is not None else None

    def at(self, time_s: int) -> datetime | None:
        """Return the local date of a time of the trace; None if it has no date."""
        try:
            return datetime.fromtimestamp(self.begin_s + time_s, self.zone)
        except (ValueError, OverflowError, OSError):
            return None

    def local_s(self, times_s: Times) -> Times:
        """Return seconds on the cluster's clock since 1970-01-01 00:00, a Thursday."""
        unix_s = self.begin_s + times_s
        spans, span = np.unique(unix_s // _HALF_HOUR_S, return_inverse=True)
        return np.asarray(unix_s + np.array([self._ahead_s(each) for each in spans.tolist()])[span])

    def _ahead_s(self, span: int) -> int:
        """Return how far local time is ahead of UTC in this half hour since 1970."""
        ahead = datetime.fromtimestamp(span * _HALF_HOUR_S, self.zone).utcoffset()
        return int((ahead or timedelta()).total_seconds())


def dates_told(workload: Workload) -> str:
    """Return the dates of the submissions, as ``"2011-02-01 to 2012-10-12"``; empty if unknown."""
    clock = Clock.of(workload.header)
    if clock is None or not len(workload):
        return ""
    first, last = (clock.at(int(workload["submit_s"][place])) for place in (0, -1))
    if first is None or last is None:
        return ""
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}" if first.date() != last.date() else f"{first:%F}"


def _zone(header: Mapping[str, Sequence[str]]) -> tzinfo | None:
    for name in header.get("TimeZoneString", ()):
        try:
            return ZoneInfo(name.strip())
        except (KeyError, ValueError, OSError):
            continue
    ahead_s = header_int(header, "TimeZone")
    if ahead_s is None or abs(ahead_s) >= 86400:
        return None
    return timezone(timedelta(seconds=ahead_s))
