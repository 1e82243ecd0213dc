"""Days, weeks and months in which jobs count."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta, timezone

DAY_S = 86_400
_EPOCH = date(1970, 1, 1)


def offset_s(zone: timezone) -> int:
    """Return by how many seconds days begin earlier in the zone than in UTC."""
    return int(zone.utcoffset(None).total_seconds())


def _day(number: int) -> date:
    return _EPOCH + timedelta(days=number)


def _monday(number: int) -> date:
    return _day(number) - timedelta(days=_day(number).weekday())


PERIODS: dict[str, Callable[[int], str]] = {
    "day": lambda number: str(_day(number)),
    "week": lambda number: str(_monday(number)),
    "month": lambda number: f"{_day(number):%Y-%m}",
}
"""The name of a period, from the number since 1970 of one of its days; a week has its Monday's."""
