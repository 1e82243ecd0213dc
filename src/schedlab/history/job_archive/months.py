"""Months of the archive, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def month_of(epoch_s: float) -> str:
    """Return the month of a moment, such as ``2026-01``."""
    return f"{datetime.fromtimestamp(epoch_s, UTC):%Y-%m}"


def month_end_s(month: str) -> int:
    """Return when the next month begins."""
    first = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    return _begin_s(first, 1)


def months_before_s(now_s: float, months: int) -> int:
    """Return the beginning of the month that lies this number of months before ``now_s``."""
    return _begin_s(datetime.fromtimestamp(now_s, UTC), -months)


def _begin_s(moment: datetime, months: int) -> int:
    number = 12 * moment.year + moment.month - 1 + months
    year, month = divmod(max(number, 12 * 1970), 12)
    return int(datetime(year, month + 1, 1, tzinfo=UTC).timestamp())
