"""Use of the machines in grouped sums: jobs, node-hours, energy and waits, by whom and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, timezone
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, null, select

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.store.queries import JobQuery, conditions
from schedlab.history.store.sum_tables import day_sums
from schedlab.history.store.sums import SUMS
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible, visible_of_few
from schedlab.history.web.queries.calendar import DAY_S, PERIODS, offset_s
from schedlab.history.web.queries.kept_sums import split, without_window

HOUR_S = 3_600
KEPT_SUMS = tuple(func.sum(column) for column in list(day_sums.columns)[-len(SUMS) :])
MOST_KEYS = 3

DAYS: dict[str, ColumnElement[Any]] = {
    "queued": jobs.c.queue_s,
    "started": jobs.c.start_s,
    "ended": jobs.c.end_s,
}
"""The moment that decides on which day a job counts."""


@dataclass(frozen=True)
class Key:
    """A key by which jobs are grouped.

    Args:
        column: what SQL groups by: a column, or None for the number of the day since 1970.
        name: returns the name of a value; values with the same name are added up.
        kept: the same column of ``day_sums``; None if it has none.
    """

    column: ColumnElement[Any] | None
    name: Callable[[Any], str] = str
    kept: str | None = None


def _size_class(hosts: int) -> str:
    """Write ``1``, ``2``, ``3-4``, ``5-8``: up to a power of two."""
    most = 1 << max(0, hosts - 1).bit_length()
    return str(hosts) if hosts <= 2 else f"{most // 2 + 1}-{most}"


def _unsorted(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Hide the column's index from SQLite, which would read all rows to sum in its order."""
    return func.coalesce(column, null())


KEYS: dict[str, Key] = {
    "cluster": Key(jobs.c.cluster, kept="cluster"),
    "partition": Key(jobs.c.partition, kept="partition"),
    "user": Key(_unsorted(jobs.c.user_identifier), kept="user_identifier"),
    "group": Key(_unsorted(jobs.c.accounting_group), kept="accounting_group"),
    "state": Key(jobs.c.state, kept="state"),
    "size": Key(jobs.c.num_host, _size_class),
    **{period: Key(None, name, kept="day") for period, name in PERIODS.items()},
}
"""The keys by which jobs can be grouped."""


Names = tuple[str | None, ...]
"""The names of a group's values, one for each key; None if its jobs have no such value."""


@dataclass
class Sums:
    """The sums over the jobs of one group, and for each sum the number of jobs that it covers."""

    jobs: int = 0
    node_s: int = 0
    ended: int = 0
    energy_joule: float = 0.0
    measured: int = 0
    wait_s: int = 0
    started: int = 0
    wra: float = 0.0
    limited: int = 0

    def __iadd__(self, row: Sequence[Any]) -> Sums:
        for each, value in zip(fields(self), row, strict=True):
            so_far = getattr(self, each.name)
            setattr(self, each.name, so_far + type(so_far)(value or 0))  # PostgreSQL sums decimals
        return self

    def shown(self) -> dict[str, Any]:
        """Return the sums and means as the API gives them; None where no job has a value."""
        return {
            "jobs": self.jobs,
            "node_hours": self.node_s / HOUR_S,
            "energy_joule": self.energy_joule if self.measured else None,
            "jobs_with_energy": self.measured,
            "mean_wait_s": self.wait_s / self.started if self.started else None,
            "jobs_started": self.started,
            "mean_wra": self.wra / self.limited if self.limited else None,
        }


def stats(
    connection: Connection,
    viewer: Viewer,
    query: JobQuery,
    by: Sequence[str],
    *,
    day: str = "ended",
    zone: timezone = UTC,
) -> list[tuple[Names, Sums]]:
    """Return sums over the jobs that match the query and that the viewer sees, for each group.

    Groups are in the order of their days if they have days, else by node-hours, most first.

    Args:
        connection: a connection to the store.
        viewer: who asks.
        query: which jobs.
        by: up to three of ``KEYS``.
        day: the moment of ``DAYS`` that decides on which day a job counts.
        zone: the zone in which days begin.
    """
    keys = [_find(name) for name in by]
    if len(keys) > MOST_KEYS:
        raise ParameterError(f"by: {len(keys)} keys; at most {MOST_KEYS} are possible")
    day_number = (DAYS[day] + offset_s(zone)) // DAY_S
    columns = {
        f"key_{place}": day_number if key.column is None else key.column
        for place, key in enumerate(keys)
    }
    labelled = [column.label(name) for name, column in columns.items()]
    seen = visible_of_few(viewer) if query.has_window else visible(viewer)
    kept = _kept_keys(keys, day, zone)
    parts = split(connection, query) if kept is not None else None
    rows: list[Any] = []
    if parts is None or kept is None:
        statement = select(*labelled, *SUMS).where(seen, *conditions(query))
    else:
        of_days, of_jobs = parts
        whole = select(*kept, *KEPT_SUMS).where(visible(viewer, day_sums), *of_days)
        rows += connection.execute(whole.group_by(*kept))
        rest = conditions(without_window(query))
        statement = select(*labelled, *SUMS).where(seen, of_jobs, *rest)
    rows += connection.execute(statement.group_by(*columns))
    named = (
        (tuple(_named(key, value) for key, value in zip(keys, row, strict=False)), row[len(keys) :])
        for row in rows
    )
    return _summed(named, keys)


def _kept_keys(keys: Sequence[Key], day: str, zone: timezone) -> list[ColumnElement[Any]] | None:
    """Return the columns that group kept sums by these keys; None if there are no such columns."""
    columns: list[ColumnElement[Any]] = []
    for key in keys:
        if key.kept is None or (key.column is None and (day != "ended" or offset_s(zone))):
            return None
        columns.append(day_sums.c[key.kept])
    return columns


def days_between(connection: Connection, viewer: Viewer, query: JobQuery) -> int:
    """Return the days from the first to the last submission of a user's or group's jobs."""
    queued = select(jobs.c.queue_s).where(visible_of_few(viewer), *conditions(query))
    known = queued.where(jobs.c.queue_s.is_not(None)).limit(1)
    first_s, last_s = (
        connection.execute(known.order_by(order)).scalar()
        for order in (jobs.c.queue_s, jobs.c.queue_s.desc())
    )
    return 0 if first_s is None or last_s is None else int(last_s - first_s) // DAY_S


def regrouped(
    groups: Iterable[tuple[Names, Sums]], by: Sequence[str], kept: Sequence[str]
) -> list[tuple[Names, Sums]]:
    """Return what ``stats`` would return for these groups if grouped by only some of their keys."""
    places = [by.index(name) for name in kept]
    fewer = ((tuple(names[at] for at in places), astuple(sums)) for names, sums in groups)
    return _summed(fewer, [KEYS[name] for name in kept])


def _summed(
    rows: Iterable[tuple[Names, Sequence[Any]]], keys: Sequence[Key]
) -> list[tuple[Names, Sums]]:
    groups: dict[Names, Sums] = {}
    for names, values in rows:
        sums = groups.setdefault(names, Sums())
        sums += values
    return sorted(groups.items(), key=lambda group: _place(keys, *group))


def _find(name: str) -> Key:
    if name not in KEYS:
        raise UnknownNameError("by", name, KEYS)
    return KEYS[name]


def _named(key: Key, value: Any) -> str | None:
    return None if value is None else key.name(value)


def _place(keys: Sequence[Key], names: Sequence[str | None], sums: Sums) -> tuple[Any, ...]:
    days = [name or "" for key, name in zip(keys, names, strict=True) if key.column is None]
    return (days, -sums.node_s, -sums.jobs, [name or "" for name in names])
