"""Days, weeks and months in which jobs count."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta, timezone

DAY_S = 86_400
_EPOCH = date(1970, 1, 1)


def offset_s(zone: timezone) -> int:
    """Return by how much days begin earlier there than in UTC."""
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
"""What a period is called, from the number of a day of it since 1970; a week by its Monday."""
