"""Statements that write records to the tables, within a transaction of the caller."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, compress
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Select,
    Table,
    bindparam,
    case,
    delete,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError

from schedlab.history.schema.job import JobRecord
from schedlab.history.store.archive_tables import archive_parts, archived
from schedlab.history.store.rows import Identity, Values, aggregate_rows, host_rows, tag_rows
from schedlab.history.store.sums import unsum
from schedlab.history.store.tables import Measurement, aggregates, hosts, jobs, provenances, tags

_IN_ONE_STATEMENT = 32_000
"""Parameters: SQLite takes 32,766, PostgreSQL 65,535."""

_DELETED_S = case((archive_parts.c.deleted_s.is_not(None), archive_parts.c.month_end_s))
_KEY, _START_S, _END_S = map(jobs.columns.keys().index, ("id", "start_s", "end_s"))

_OWN = hosts.alias("own")
_TOGETHER = (
    (hosts.c.node_id == _OWN.c.node_id)
    & (hosts.c.job != _OWN.c.job)
    & (hosts.c.end_s > _OWN.c.start_s)
    & (hosts.c.start_s < _OWN.c.end_s)
)


class Known(NamedTuple):
    """What the store has under an identity."""

    key: int
    digest: int


def known(connection: Connection, wanted: Collection[Identity]) -> dict[Identity, Known]:
    """Return the identities that the store has, each with its key and digest."""
    identity = (jobs.c.cluster, jobs.c.jobid, jobs.c.queue_s, jobs.c.attempt)
    jobids = _listed(connection, {jobid for _, jobid, _, _ in wanted})
    statement = select(*identity, jobs.c.id, jobs.c.digest).where(jobs.c.jobid.in_(jobids))
    found = {(*who,): Known(key, digest) for *who, key, digest in connection.execute(statement)}
    return {who: found[who] for who in wanted if who in found}


def known_archived(connection: Connection, wanted: Mapping[Identity, int | None]) -> set[Identity]:
    """Return the jobs that the archive has, or had until they were too old to be kept.

    Args:
        connection: connection to the store.
        wanted: identities of the jobs, and when they ended.
    """
    parts = select(func.count(), func.max(_DELETED_S)).select_from(archive_parts)
    count, deleted_s = connection.execute(parts).one()
    if not count:
        return set()
    identity = (archived.c.cluster, archived.c.jobid, archived.c.queue_s, archived.c.attempt)
    jobids = _listed(connection, {jobid for _, jobid, _, _ in wanted})
    statement = select(*identity).where(archived.c.jobid.in_(jobids))
    there: set[Identity] = {(*row,) for row in connection.execute(statement)}
    if deleted_s is None:
        return there & wanted.keys()
    gone = {who for who, end_s in wanted.items() if end_s is not None and end_s < deleted_s}
    return gone | (there & wanted.keys())


def add_jobs(connection: Connection, rows: Sequence[Values], records: Iterable[JobRecord]) -> None:
    """Add new rows, with their hosts and aggregates."""
    unsum(connection, {row[_END_S] for row in rows})
    insert_rows(connection, jobs, rows)
    _add_parts(connection, rows, records)


def replace_jobs(
    connection: Connection, rows: Sequence[Values], records: Iterable[JobRecord]
) -> None:
    """Replace rows that the table has under the same keys, with their hosts and aggregates."""
    if not rows:
        return
    unsum(connection, {row[_END_S] for row in rows})
    for some in _portions([row[_KEY] for row in rows]):
        unsum(connection, ends_of(connection, jobs.c.id.in_(some)))
        connection.execute(delete(aggregates).where(aggregates.c.job.in_(some)))
        connection.execute(delete(hosts).where(hosts.c.job.in_(some)))
        connection.execute(delete(tags).where(tags.c.job.in_(some)))
    statement = update(jobs).where(jobs.c.id == bindparam("key"))
    names = ["key" if column is jobs.c.id else column.name for column in jobs.columns]
    values: dict[str, Any] = {name: bindparam(name) for name in names if name != "key"}
    connection.execute(
        statement.values(values), [dict(zip(names, row, strict=True)) for row in rows]
    )
    _add_parts(connection, rows, records)


def measure_neighbours_again(connection: Connection, keys: Sequence[int]) -> None:
    """Mark jobs that shared a host with these as due: their part of what it used has changed."""
    for some in _portions(keys):
        shared = select(hosts.c.job).join(_OWN, _TOGETHER).where(_OWN.c.job.in_(some))
        statement = update(jobs).where(jobs.c.measurement != Measurement.DUE, jobs.c.id.in_(shared))
        connection.execute(statement.values(measurement=Measurement.DUE))


def overlaps(connection: Connection, keys: Sequence[int]) -> list[tuple[str, str, str]]:
    """List jobs that shared a host with an earlier one: the ids of both, and the host."""
    mine, other = jobs.alias("mine"), jobs.alias("other")
    statement = (
        select(mine.c.jobid, other.c.jobid, hosts.c.node_id)
        .select_from(hosts)
        .join(_OWN, _TOGETHER & (hosts.c.job < _OWN.c.job))
        .join(mine, mine.c.id == _OWN.c.job)
        .join(other, other.c.id == hosts.c.job)
        .where(
            (mine.c.cluster == other.c.cluster) | (mine.c.cluster == "") | (other.c.cluster == "")
        )
    )
    found = [
        connection.execute(statement.where(_OWN.c.job.in_(some))).all() for some in _portions(keys)
    ]
    return sorted((mine, other, node) for rows in found for mine, other, node in rows)


def ends_of(connection: Connection, which: ColumnElement[bool]) -> set[int | None]:
    """Return the ends of the jobs that meet a condition; None for those that have not ended."""
    return set(connection.execute(select(jobs.c.end_s).where(which)).scalars())


def next_number(connection: Connection, column: Any, *conditions: Any) -> int:
    """Return the number after the greatest; there is one writer at a time."""
    greatest = connection.execute(select(func.max(column)).where(*conditions)).scalar()
    return 1 if greatest is None else int(greatest) + 1


def next_job(connection: Connection) -> int:
    """Return the key of the next job; keys of archived jobs are not used again."""
    return max(next_number(connection, column) for column in (jobs.c.id, archived.c.id))


def _add_parts(
    connection: Connection, rows: Sequence[Values], records: Iterable[JobRecord]
) -> None:
    of_hosts: list[Values] = []
    of_tags: list[Values] = []
    of_aggregates: list[Values] = []
    of_provenances: dict[int, Values] = {}
    for row, record in zip(rows, records, strict=True):
        if record.tags:
            of_tags += tag_rows(row[_KEY], record.tags)
        if record.per_host:
            of_hosts += host_rows(row[_KEY], record.per_host, row[_START_S], row[_END_S])
            for aggregate, provenance in aggregate_rows(row[_KEY], record.per_host):
                of_aggregates.append(aggregate)
                of_provenances[provenance[0]] = provenance
    insert_rows(connection, hosts, of_hosts)
    insert_rows(connection, tags, of_tags)
    _add_provenances(connection, of_provenances)
    insert_rows(connection, aggregates, of_aggregates)


def _add_provenances(connection: Connection, rows: Mapping[int, Values]) -> None:
    if rows:
        there = set(connection.execute(select(provenances.c.id)).scalars())
        insert_rows(connection, provenances, [row for key, row in rows.items() if key not in there])


def insert_rows(connection: Connection, table: Table, rows: Sequence[Values]) -> None:
    """Insert the rows in the way that is fastest for many rows in each database.

    Columns that are empty in all rows are left out: Python's driver for SQLite takes several times
    as long for an empty value as for another.
    """
    if not rows:
        return
    columns, empty = list(zip(*rows, strict=True)), (None,) * len(rows)
    filled = [column != empty for column in columns]
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(map(quote, compress(table.columns.keys(), filled)))
    values = list(zip(*compress(columns, filled), strict=True))
    if connection.dialect.name == "postgresql":
        _copy(connection, f"COPY {quote(table.name)} ({names}) FROM STDIN", values)
    else:
        _insert_together(connection, f"INSERT INTO {quote(table.name)} ({names}) VALUES", values)


def _copy(connection: Connection, statement: str, rows: Iterable[Values]) -> None:
    """Stream the rows to PostgreSQL."""
    cursor: Any = connection.connection.cursor()
    try:
        with cursor, cursor.copy(statement) as stream:
            for row in rows:
                stream.write_row(row)
    except connection.dialect.loaded_dbapi.Error as error:
        raise DBAPIError(statement, None, error) from error


def _insert_together(connection: Connection, head: str, rows: Sequence[Values]) -> None:
    """Insert many rows with one statement: one by one they would take half as long again."""
    many, marks = _IN_ONE_STATEMENT // len(rows[0]), f"({', '.join('?' * len(rows[0]))})"
    for at in range(0, len(rows), many):
        some = rows[at : at + many]
        statement = f"{head} {', '.join([marks] * len(some))}"
        connection.exec_driver_sql(statement, tuple(chain.from_iterable(some)))


def _listed(connection: Connection, texts: Iterable[str]) -> Select[str]:
    """Return the texts as a table, which goes to the database as one parameter."""
    listed = (
        func.json_each if connection.dialect.name == "sqlite" else func.json_array_elements_text
    )
    return select(listed(literal(sorted(texts), JSON)).table_valued("value").c.value)


def _portions(values: Collection[Any]) -> list[list[Any]]:
    """Split rows so that no statement has too many parameters."""
    ordered = sorted(values)
    return [
        ordered[at : at + _IN_ONE_STATEMENT] for at in range(0, len(ordered), _IN_ONE_STATEMENT)
    ]
