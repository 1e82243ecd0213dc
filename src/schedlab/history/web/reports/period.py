"""The week or the month of a report."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.reports_section import PERIODS


@dataclass(frozen=True)
class Period:
    """A week from Monday on, or a month.

    Args:
        kind: ``week`` or ``month``.
        first: its first day.
        zone: the zone in which its days begin.
    """

    kind: str
    first: date
    zone: tzinfo

    @classmethod
    def around(cls, kind: str, day: date, zone: tzinfo) -> Period:
        """Return the period in which the day lies."""
        if kind not in PERIODS:
            raise UnknownNameError("period", kind, PERIODS)
        if not 1971 <= day.year < 3000:
            raise ParameterError(f"{day} lies too far from now")
        back = day.weekday() if kind == "week" else day.day - 1
        return cls(kind, day - timedelta(days=back), zone)

    @classmethod
    def at(cls, kind: str, epoch_s: float, zone: tzinfo) -> Period:
        """Return the period in which the moment lies."""
        return cls.around(kind, datetime.fromtimestamp(epoch_s, zone).date(), zone)

    @property
    def after(self) -> date:
        """The first day of the next period."""
        later = self.first + timedelta(days=7 if self.kind == "week" else 31)
        return later if self.kind == "week" else later.replace(day=1)

    @property
    def next(self) -> Period:
        """The next period."""
        return Period.around(self.kind, self.after, self.zone)

    @property
    def before(self) -> Period:
        """The previous period."""
        return Period.around(self.kind, self.first - timedelta(days=1), self.zone)

    @property
    def from_s(self) -> int:
        """When it begins, in epoch seconds."""
        return self._begin_s(self.first)

    @property
    def to_s(self) -> int:
        """When it is over, in epoch seconds."""
        return self._begin_s(self.after)

    @property
    def days(self) -> list[tuple[str, int]]:
        """Each of its days, and when the day begins."""
        count = (self.after - self.first).days
        each = [self.first + timedelta(days=number) for number in range(count)]
        return [(str(day), self._begin_s(day)) for day in each]

    @property
    def key(self) -> str:
        """Its short name, such as ``2026-W46`` or ``2026-11``."""
        return f"{self.first:%G-W%V}" if self.kind == "week" else f"{self.first:%Y-%m}"

    @property
    def label(self) -> str:
        """Its name in headings."""
        if self.kind == "month":
            return f"{self.first:%B %Y}"
        last = self.after - timedelta(days=1)
        return f"{self.first.day} {self.first:%B} to {last.day} {last:%B %Y}"

    def _begin_s(self, day: date) -> int:
        return int(datetime.combine(day, time(), self.zone).timestamp())
