"""Jobs page by page: those that match a query and that the viewer sees, in the wanted order."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    any_,
    bindparam,
    func,
    select,
    tuple_,
)

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.site import Site
from schedlab.history.store.archive_tables import archived
from schedlab.history.store.queries import QUANTITIES, JobQuery, conditions, key_sets, named_sets
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible, visible_parts
from schedlab.history.web.queries.archived import archived_rows, read_archived

SORTS: dict[str, ColumnElement[Any]] = {
    "queue_time": jobs.c.queue_s,
    "start_time": jobs.c.start_s,
    "end_time": jobs.c.end_s,
    **QUANTITIES,
}
"""The values by which pages can be sorted; jobs without the value come last."""

COUNTED = 10_000
"""The largest number of jobs that is counted exactly."""
MANY = 2_000
"""The number of jobs from which sorting no longer looks them up one by one."""
KEPT = 50_000
"""The number of jobs whose keys PostgreSQL may keep, well below its memory for them."""


@dataclass(frozen=True)
class Sort:
    """An order of jobs; those that are equal in it are in the order in which they were stored."""

    by: str = "queue_time"
    descending: bool = True

    @classmethod
    def parse(cls, text: str) -> Sort:
        """Read ``wait_s``, or ``-wait_s`` for the greatest first."""
        by = text.removeprefix("-")
        if by not in SORTS:
            raise UnknownNameError("sort", by, SORTS)
        return cls(by, text.startswith("-"))

    def __str__(self) -> str:
        return f"-{self.by}" if self.descending else self.by


NEWEST_FIRST = Sort()


@dataclass(frozen=True)
class Cursor:
    """The last job of a page: the page's order, the job's value in it, and its key in the store."""

    sort: Sort
    value: float | None
    key: int

    def __str__(self) -> str:
        content = to_json([str(self.sort), self.value, self.key])
        return urlsafe_b64encode(content).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str, sort: Sort) -> Cursor:
        """Return the cursor in the text, which must be of a page in that order."""
        try:
            content = from_json(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
            order, value, key = content
        except (binascii.Error, ValueError, TypeError):
            raise ParameterError("cursor: is not valid; take it from the previous answer") from None
        is_number = value is None or (type(value) in (int, float) and abs(value) < 2**63)
        if not (is_number and type(key) is int and abs(key) < 2**63):
            raise ParameterError("cursor: is not valid; take it from the previous answer")
        if order != str(sort):
            raise ParameterError("cursor: belongs to another sort; start again without it")
        return cls(sort, value, key)


@dataclass(frozen=True)
class FoundJob:
    """A job of the store: its key, and its record as JSON."""

    key: int
    document: str


@dataclass(frozen=True)
class ResultPage:
    """Some jobs, and where the next page begins."""

    jobs: Sequence[FoundJob]
    next: Cursor | None


@dataclass(frozen=True)
class JobCount:
    """A number of jobs, exact or a lower bound."""

    jobs: int
    is_exact: bool


def search(
    connection: Connection,
    viewer: Viewer,
    query: JobQuery,
    *,
    sort: Sort = NEWEST_FIRST,
    after: Cursor | None = None,
    limit: int = 100,
) -> ResultPage:
    """Return one page of the jobs that match the query and that the viewer sees.

    Args:
        connection: a connection to the store.
        viewer: who asks.
        query: which jobs; its own limit does not count here.
        sort: the order of the jobs.
        after: the cursor of the page before.
        limit: the number of jobs on a page.
    """
    keys, more = keys_of_page(connection, viewer, query, sort, after, limit)
    return ResultPage(documents(connection, keys), more)


def keys_of_page(
    connection: Connection,
    viewer: Viewer,
    query: JobQuery,
    sort: Sort,
    after: Cursor | None,
    limit: int,
) -> tuple[list[int], Cursor | None]:
    """Return the keys of one page of jobs, without records, and where the next page begins."""
    are_many = _are_many(connection, query)
    hashed = are_many and _fit_into_memory(connection, query)
    meant = conditions(query, in_order=are_many, hashed=hashed)
    # No job starts before it is queued; with this condition, the search begins near the window.
    before_s = query.ran_to_s if sort.by == "queue_time" else None
    rows: list[tuple[int, Any]] = []
    for segment in _segments(meant, sort, after, before_s):
        wanted = limit + 1 - len(rows)
        parts = [segment.where(part).limit(wanted) for part in visible_parts(viewer)]
        found = {(key, value) for part in parts for key, value in connection.execute(part)}
        rows += sorted(found, key=_place, reverse=sort.descending)[:wanted]
        if len(rows) > limit:
            break
    more = Cursor(sort, rows[limit - 1][1], rows[limit - 1][0]) if len(rows) > limit else None
    return [key for key, _ in rows[:limit]], more


def _place(row: tuple[int, Any]) -> tuple[Any, int]:
    key, value = row
    return (0 if value is None else value), key


def _are_many(connection: Connection, query: JobQuery) -> bool:
    """Return whether sorting all jobs on the nodes, with the tags or of the time would take long.

    SQLite cannot tell by itself, and PostgreSQL assumes 200 jobs in any such set.
    """
    some = (keys.limit(MANY).subquery() for keys in key_sets(query))
    counts = (select(func.count()).select_from(each) for each in some)
    sizes = [connection.execute(each).scalar_one() for each in counts]
    return bool(sizes) and min(sizes) == MANY


def _fit_into_memory(connection: Connection, query: JobQuery) -> bool:
    """Return whether PostgreSQL can keep the keys; SQLite keeps them in any case.

    If more jobs are on the nodes or have the tags, a search in order soon finds the first of them.
    """
    if connection.dialect.name != "postgresql":
        return False
    sizes = (
        select(func.count()).select_from(keys.limit(KEPT).subquery()) for keys in named_sets(query)
    )
    return all(connection.execute(each).scalar_one() < KEPT for each in sizes)


def count(connection: Connection, viewer: Viewer, query: JobQuery, most: int = COUNTED) -> JobCount:
    """Return how many jobs match the query and are visible; count no further than ``most``."""
    meant = select(jobs.c.id).where(visible(viewer), *conditions(query)).limit(most + 1)
    found = connection.execute(select(func.count()).select_from(meant.subquery())).scalar_one()
    return JobCount(min(found, most), found <= most)


def documents(connection: Connection, keys: Sequence[int]) -> list[FoundJob]:
    """Return the records for keys from a query for the viewer, in the order of the keys."""
    statement = select(jobs.c.id, jobs.c.record).where(_is_among(connection, keys))
    records = dict(map(tuple, connection.execute(statement))) if keys else {}
    return [FoundJob(key, records[key]) for key in keys if key in records]


def _is_among(connection: Connection, keys: Sequence[int]) -> ColumnElement[bool]:
    """Return the condition that a job has one of the keys.

    For PostgreSQL the keys are one value, so that the statement is planned once.
    """
    if connection.dialect.name == "postgresql":
        return jobs.c.id == any_(bindparam("keys", list(keys), ARRAY(BigInteger)))
    return jobs.c.id.in_(keys)


def _segments(
    meant: Sequence[Any], sort: Sort, after: Cursor | None, before: float | None = None
) -> Iterator[Select[Any]]:
    """Yield a statement for jobs with a value, below a limit if there is one; then one for others.

    Only in this way does an index give the order in every database: their places for nulls differ.
    """
    column, key = SORTS[sort.by], jobs.c.id
    statement = select(key, column.label("value")).where(*meant)
    by_value = [column.desc(), key.desc()] if sort.descending else [column, key]
    if after is None or after.value is not None:
        known = statement.where(column.is_not(None)).order_by(*by_value)
        if before is not None:
            known = known.where(column < before)
        if after is not None:
            place, last = tuple_(column, key), tuple_(after.value, after.key)
            known = known.where(place < last if sort.descending else place > last)
        yield known
    unknown = statement.where(column.is_(None)).order_by(by_value[1])
    if after is not None and after.value is None:
        unknown = unknown.where(key < after.key if sort.descending else key > after.key)
    yield unknown


_GREATEST = 2**63 - 1


def jobs_by_key(
    connection: Connection, viewer: Viewer, keys: Sequence[int], archive: Path | None
) -> list[FoundJob]:
    """Return the jobs that the viewer sees, in the order of the keys, archived ones too."""
    possible = [key for key in keys if 0 <= key <= _GREATEST]
    statement = select(jobs.c.id, jobs.c.record).where(visible(viewer), jobs.c.id.in_(possible))
    records = {key: FoundJob(key, record) for key, record in connection.execute(statement)}
    missing = [key for key in possible if key not in records]
    if missing:
        rows = archived_rows(connection, viewer, archived.c.id.in_(missing))
        for row, document in read_archived(archive, rows):
            records[row.id] = FoundJob(row.id, document)
    return [records[key] for key in dict.fromkeys(possible) if key in records]


def clusters_of_jobs(connection: Connection, viewer: Viewer) -> list[str]:
    """Return the clusters on which jobs ran that the viewer sees."""
    names = select(jobs.c.cluster).where(visible(viewer), jobs.c.cluster != "").distinct()
    return sorted(connection.execute(names).scalars())


def clusters_of_site(connection: Connection, viewer: Viewer, site: Site | None) -> list[str]:
    """Return the clusters of the site; without a site file, those on which jobs ran."""
    if site is not None:
        return [each.name for each in site.clusters]
    return clusters_of_jobs(connection, viewer)


@dataclass(frozen=True)
class JobId:
    """An id and, if several jobs may have it, what else tells the job from the others."""

    jobid: str
    cluster: str | None = None
    queue_s: int | None = None
    attempt: int | None = None

    def fits(self, job: IdentifiedJob) -> bool:
        """Return whether it can mean that job; a job without a cluster matches any."""
        return (
            self.jobid == job.jobid
            and (self.cluster is None or job.cluster in ("", self.cluster))
            and self.queue_s in (None, job.queue_s)
            and self.attempt in (None, job.attempt)
        )


@dataclass(frozen=True)
class IdentifiedJob:
    """A job of the store: what identifies it, its key, and its record as JSON."""

    jobid: str
    cluster: str
    queue_s: int | None
    attempt: int
    key: int
    document: str


def jobs_of(
    connection: Connection, viewer: Viewer, ids: Sequence[JobId], archive: Path | None
) -> Mapping[JobId, list[IdentifiedJob]]:
    """Return the jobs that each id can mean, of those that the viewer sees; latest first.

    Archived ones come after those of the store.
    """
    columns = (jobs.c.jobid, jobs.c.cluster, jobs.c.queue_s, jobs.c.attempt, jobs.c.id)
    wanted = sorted({each.jobid for each in ids})
    statement = select(*columns, jobs.c.record).where(visible(viewer), jobs.c.jobid.in_(wanted))
    by_jobid: dict[str, list[IdentifiedJob]] = {}
    for row in connection.execute(statement.order_by(jobs.c.id.desc())):
        by_jobid.setdefault(row.jobid, []).append(IdentifiedJob(*row))
    rows = archived_rows(connection, viewer, archived.c.jobid.in_(wanted))
    for row, document in read_archived(archive, rows):
        who = (row.jobid, row.cluster, row.queue_s, row.attempt, row.id)
        by_jobid.setdefault(row.jobid, []).append(IdentifiedJob(*who, document))
    return {each: [job for job in by_jobid.get(each.jobid, ()) if each.fits(job)] for each in ids}
