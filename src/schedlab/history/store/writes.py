"""The statements by which records get into the tables, within a transaction of the caller's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, bindparam, delete, func, insert, select, update

from schedlab.history.schema.job import JobRecord
from schedlab.history.store.rows import Identity, Row, aggregate_rows, host_rows
from schedlab.history.store.tables import Measurement, aggregates, hosts, jobs, provenances

_IN_ONE_STATEMENT = 10_000

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
    """Those of the identities that the store has."""
    identity = (jobs.c.cluster, jobs.c.jobid, jobs.c.queue_s, jobs.c.attempt)
    found = {}
    for some in _portions({jobid for _, jobid, _, _ in wanted}):
        statement = select(*identity, jobs.c.id, jobs.c.digest).where(jobs.c.jobid.in_(some))
        for *who, key, digest in connection.execute(statement):
            found[tuple(who)] = Known(key, digest)
    return {who: found[who] for who in wanted if who in found}


def add_jobs(connection: Connection, rows: Sequence[Row], records: Iterable[JobRecord]) -> None:
    """New rows, with their hosts and aggregates."""
    _insert(connection, jobs, rows)
    _add_parts(connection, rows, records)


def replace_jobs(connection: Connection, rows: Sequence[Row], records: Iterable[JobRecord]) -> None:
    """Rows that the table has under the same keys, with their hosts and aggregates."""
    if not rows:
        return
    for some in _portions([row["id"] for row in rows]):
        connection.execute(delete(aggregates).where(aggregates.c.job.in_(some)))
        connection.execute(delete(hosts).where(hosts.c.job.in_(some)))
    statement = update(jobs).where(jobs.c.id == bindparam("key"))
    values: dict[str, Any] = {name: bindparam(name) for name in rows[0] if name != "id"}
    connection.execute(statement.values(values), [{**row, "key": row["id"]} for row in rows])
    _add_parts(connection, rows, records)


def measure_neighbours_again(connection: Connection, keys: Sequence[int]) -> None:
    """Jobs that shared a host with these for a while: their part of what it used has changed."""
    for some in _portions(keys):
        shared = select(hosts.c.job).join(_OWN, _TOGETHER).where(_OWN.c.job.in_(some))
        statement = update(jobs).where(jobs.c.measurement != Measurement.DUE, jobs.c.id.in_(shared))
        connection.execute(statement.values(measurement=Measurement.DUE))


def overlaps(connection: Connection, keys: Sequence[int]) -> list[tuple[str, str, str]]:
    """Jobs among these that shared a host with an earlier one: their ids, the other's, the host."""
    mine, other = jobs.alias("mine"), jobs.alias("other")
    statement = (
        select(mine.c.jobid, other.c.jobid, hosts.c.node_id)
        .select_from(hosts)
        .join(_OWN, _TOGETHER & (hosts.c.job < _OWN.c.job))
        .join(mine, mine.c.id == _OWN.c.job)
        .join(other, other.c.id == hosts.c.job)
    )
    found = [
        connection.execute(statement.where(_OWN.c.job.in_(some))).all() for some in _portions(keys)
    ]
    return sorted((mine, other, node) for rows in found for mine, other, node in rows)


def next_number(connection: Connection, column: Any, *conditions: Any) -> int:
    """The number after the greatest; nobody else can take it, as one writes at a time."""
    greatest = connection.execute(select(func.max(column)).where(*conditions)).scalar()
    return 1 if greatest is None else int(greatest) + 1


def _add_parts(connection: Connection, rows: Sequence[Row], records: Iterable[JobRecord]) -> None:
    of_hosts: list[Row] = []
    of_aggregates: list[Row] = []
    of_provenances: dict[int, Row] = {}
    for row, record in zip(rows, records, strict=True):
        of_hosts += host_rows(row["id"], record)
        for aggregate, provenance in aggregate_rows(row["id"], record):
            of_aggregates.append(aggregate)
            of_provenances[provenance["id"]] = provenance
    _insert(connection, hosts, of_hosts)
    _add_provenances(connection, of_provenances)
    _insert(connection, aggregates, of_aggregates)


def _add_provenances(connection: Connection, rows: Mapping[int, Row]) -> None:
    if rows:
        there = set(connection.execute(select(provenances.c.id)).scalars())
        _insert(connection, provenances, [row for key, row in rows.items() if key not in there])


def _insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Hand the rows to the driver as they are: SQLAlchemy would take as long as SQLite does."""
    if not rows:
        return
    compiled = insert(table).values(dict.fromkeys(rows[0])).compile(dialect=connection.dialect)
    if compiled.positiontup is None:
        connection.exec_driver_sql(str(compiled), list(rows))
    else:
        in_order = itemgetter(*compiled.positiontup)
        connection.exec_driver_sql(str(compiled), [in_order(row) for row in rows])


def _portions(values: Collection[Any]) -> list[list[Any]]:
    """So many at a time as a statement may have parameters."""
    ordered = sorted(values)
    return [
        ordered[at : at + _IN_ONE_STATEMENT] for at in range(0, len(ordered), _IN_ONE_STATEMENT)
    ]
