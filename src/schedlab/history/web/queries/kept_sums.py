"""Which part of a query for sums the kept sums answer, and which part the jobs themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from sqlalchemy import ColumnElement, Connection, false, or_, select

from schedlab.history.store.queries import JobQuery
from schedlab.history.store.sum_tables import day_sums, summed_days
from schedlab.history.store.sums import DAY_S
from schedlab.history.store.tables import jobs

_COLUMNS = {
    "clusters": day_sums.c.cluster,
    "users": day_sums.c.user_identifier,
    "groups": day_sums.c.accounting_group,
    "partitions": day_sums.c.partition,
    "states": day_sums.c.state,
}
_ALLOWED = {*_COLUMNS, "ended_from_s", "ended_to_s"}
_MOST_GAPS = 5


def split(
    connection: Connection, query: JobQuery
) -> tuple[list[ColumnElement[bool]], ColumnElement[bool]] | None:
    """Return conditions on ``day_sums`` and one on ``jobs`` for the rest; None if it does not pay.

    Both parts see one state of the store only within one snapshot, as in ``reading``.
    """
    is_plain = all(
        each.name in _ALLOWED or getattr(query, each.name) == each.default or each.name == "ranges"
        for each in fields(query)
    )
    first_s, end_s = query.ended_from_s, query.ended_to_s
    if not is_plain or query.ranges or first_s is None or end_s is None:
        return None
    first, end = -(-first_s // DAY_S), end_s // DAY_S
    within = (summed_days.c.day >= first) & (summed_days.c.day < end)
    found = connection.execute(select(summed_days.c.day).where(within))
    days = sorted(found.scalars())
    gaps = list(_gaps(days, first_s, end_s))
    if not days or len(gaps) > _MOST_GAPS:
        return None
    kept: list[ColumnElement[bool]] = [day_sums.c.day >= days[0], day_sums.c.day <= days[-1]]
    kept += [
        column.in_(values) for name, column in _COLUMNS.items() if (values := getattr(query, name))
    ]
    rest = or_(*((jobs.c.end_s >= start) & (jobs.c.end_s < stop) for start, stop in gaps))
    return kept, rest if gaps else false()


def without_window(query: JobQuery) -> JobQuery:
    """Return the query for the same jobs at any time."""
    return replace(query, ended_from_s=None, ended_to_s=None)


def _gaps(days: list[int], first_s: int, end_s: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of the window that lie on none of the days."""
    at_s = first_s
    for day in days:
        if day * DAY_S > at_s:
            yield at_s, day * DAY_S
        at_s = (day + 1) * DAY_S
    if at_s < end_s:
        yield at_s, end_s
