"""Which jobs are meant: by when they ran, who ran them, where, and how they ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, TextClause, func, select

from schedlab.history.store.tables import UNMEASURED, Measurement, hosts, jobs


@dataclass(frozen=True, kw_only=True)
class JobQuery:
    """Jobs for which everything that is given holds; times are epoch seconds, ends excluded."""

    jobids: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    ran_from_s: int | None = None
    """Still running then, or started later."""
    ran_to_s: int | None = None
    """Started before."""
    queued_from_s: int | None = None
    queued_to_s: int | None = None
    measurements: tuple[Measurement, ...] = ()
    limit: int | None = None
    """Only so many, the earliest submitted first."""


def counted(query: JobQuery) -> Select[int]:
    """How many jobs are meant."""
    return select(func.count()).select_from(jobs).where(*_conditions(query))


def chosen(query: JobQuery, *columns: ColumnElement[Any]) -> Select[Any]:
    """These columns of the jobs that are meant, in order of submission."""
    statement: Select[Any] = select(*columns).where(*_conditions(query))
    return statement.order_by(jobs.c.queue_s, jobs.c.id).limit(query.limit)


def _conditions(query: JobQuery) -> list[ColumnElement[bool] | TextClause]:
    found: list[ColumnElement[bool] | TextClause] = [
        column.in_(values)
        for column, values in (
            (jobs.c.jobid, query.jobids),
            (jobs.c.cluster, query.clusters),
            (jobs.c.user_identifier, query.users),
            (jobs.c.accounting_group, query.groups),
            (jobs.c.partition, query.partitions),
            (jobs.c.state, query.states),
            (jobs.c.measurement, query.measurements),
        )
        if values
    ]
    if query.measurements and Measurement.DONE not in query.measurements:
        found.append(UNMEASURED)
    if query.nodes:
        found.append(jobs.c.id.in_(select(hosts.c.job).where(hosts.c.node_id.in_(query.nodes))))
    return [*found, *_times(query)]


def _times(query: JobQuery) -> Iterator[ColumnElement[bool]]:
    if query.ran_from_s is not None or query.ran_to_s is not None:
        # Apart, or SQLite would go through all jobs in the order in which they are wanted.
        ran = jobs.alias("ran")
        yield jobs.c.id.in_(select(ran.c.id).where(*_overlapping(ran, query)))
    if query.queued_from_s is not None:
        yield jobs.c.queue_s >= query.queued_from_s
    if query.queued_to_s is not None:
        yield jobs.c.queue_s < query.queued_to_s


def _overlapping(ran: FromClause, query: JobQuery) -> Iterator[ColumnElement[bool]]:
    yield ran.c.start_s.is_not(None)
    if query.ran_to_s is not None:
        yield ran.c.start_s < query.ran_to_s
    if query.ran_from_s is not None:
        yield (ran.c.end_s > query.ran_from_s) | ran.c.end_s.is_(None)
