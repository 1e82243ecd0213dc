"""Sums over jobs, kept for days that are over: a month of many jobs is added up from thirty days.

The kept sums are either right or missing: writing a job removes the sums of the day on which it
ended, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from schedlab.history.store.queries import QUANTITIES
from schedlab.history.store.sum_tables import day_sums, summed_days
from schedlab.history.store.tables import jobs

DAY_S = 86_400
SETTLED_DAYS = 2
"""Days before today that still change too often to be summed."""
_AT_ONCE = 31


def _sum_and_count(column: ColumnElement[Any]) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return func.sum(column), func.count(column)


SUMS = (
    func.count(),
    *_sum_and_count(jobs.c.node_s),
    *_sum_and_count(jobs.c.energy_joule),
    *_sum_and_count(QUANTITIES["wait_s"]),
    *_sum_and_count(QUANTITIES["wra"]),
)
"""The sums over jobs, each with the number of jobs that have a value."""

ENDED_DAY = jobs.c.end_s // DAY_S
_KEYS = tuple(jobs.c[name] for name in list(day_sums.columns.keys())[1 : -len(SUMS)])


def sum_some_days(connection: Connection, now_s: float) -> int:
    """Sum up some of the days without sums; return how many there were before."""
    span = select(func.min(jobs.c.end_s), func.max(jobs.c.end_s))
    first_s, last_s = connection.execute(span).one()
    if first_s is None:
        return 0
    last = min(last_s, int(now_s) - SETTLED_DAYS * DAY_S) // DAY_S
    there = set(connection.execute(select(summed_days.c.day)).scalars())
    missing = [day for day in range(first_s // DAY_S, last + 1) if day not in there]
    for first, end in _runs(missing[:_AT_ONCE]):
        within = (jobs.c.end_s >= first * DAY_S) & (jobs.c.end_s < end * DAY_S)
        grouped = select(ENDED_DAY.label("day"), *_KEYS, *SUMS).where(within)
        filled = insert(day_sums).from_select(
            list(day_sums.columns.keys()), grouped.group_by("day", *_KEYS)
        )
        connection.execute(filled)
        connection.execute(insert(summed_days), [{"day": day} for day in range(first, end)])
    return len(missing)


def unsum(connection: Connection, ends_s: Collection[int | None]) -> None:
    """Delete the sums of the days of these ends, whose jobs are written or deleted."""
    days = {end_s // DAY_S for end_s in ends_s if end_s is not None}
    for first, end in _runs(sorted(days)):
        for table in (day_sums, summed_days):
            of_these = (table.c.day >= first) & (table.c.day < end)
            connection.execute(delete(table).where(of_these))


def _runs(days: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the days as ranges of successive days; ends are excluded."""
    first = last = None
    for day in days:
        if last is None or day != last + 1:
            if first is not None and last is not None:
                yield first, last + 1
            first = day
        last = day
    if first is not None and last is not None:
        yield first, last + 1
