"""Move jobs from a store to the archive, in steps that may be interrupted anywhere.

Each step is one transaction: some jobs of a month are read, written to a new file that is safe on
disk, and deleted from the store. A run that is killed in between leaves a file that the store does
not list, with jobs that the store still has; the next run removes it. A file is never written
twice.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, select

from schedlab.errors import SchedlabError
from schedlab.history.job_archive.months import month_end_s, month_of
from schedlab.history.job_archive.part import files_in, new_path, remove_unfinished, write_part
from schedlab.history.job_archive.query import ask
from schedlab.history.store import Store
from schedlab.history.store.archive_tables import archive_parts, archived
from schedlab.history.store.rows import Values
from schedlab.history.store.sums import unsum
from schedlab.history.store.tables import Measurement, aggregates, hosts, jobs, tags
from schedlab.history.store.writes import insert_rows, known, next_number

PART = 20_000
"""Maximum number of jobs in one file and in one transaction."""

_KEY, _END_S = map(jobs.columns.keys().index, ("id", "end_s"))
_OF_ARCHIVED = [jobs.columns.keys().index(name) for name in archived.columns.keys()[:-1]]
_SETTLED = jobs.c.measurement != Measurement.DUE


@dataclass
class Moved:
    """What was moved."""

    jobs: int = 0
    files: int = 0
    waiting: int = 0
    """Jobs of that time that stay, since sensors have not been asked about them yet."""
    strange: tuple[str, ...] = ()
    """Files in the folder that this store does not list; they are left as they are."""


def move_jobs(
    store: Store,
    folder: Path,
    before_s: int,
    progress: Callable[[int], None] = lambda _: None,
) -> Moved:
    """Move all jobs that ended before ``before_s``.

    Args:
        store: store with the jobs; no other ingest may run meanwhile.
        folder: folder of the archive.
        before_s: epoch seconds.
        progress: called with the number of jobs moved so far.
    """
    moved = Moved(strange=_tidied(store, folder))
    while count := _move_some(store, folder, before_s):
        moved.jobs += count
        moved.files += 1
        progress(moved.jobs)
    due = select(func.count()).where(jobs.c.end_s < before_s)
    moved.waiting = store.select(due)[0][0]
    return moved


def _move_some(store: Store, folder: Path, before_s: int) -> int:
    with store.changing() as connection:
        old = (jobs.c.end_s < before_s) & _SETTLED
        first_s = connection.execute(select(func.min(jobs.c.end_s)).where(old)).scalar()
        if first_s is None:
            return 0
        month = month_of(first_s)
        some = old & (jobs.c.end_s >= first_s) & (jobs.c.end_s < month_end_s(month))
        earliest = select(jobs).where(some).order_by(jobs.c.end_s, jobs.c.id).limit(PART)
        rows = sorted(map(tuple, connection.execute(earliest)))
        keys = [row[_KEY] for row in rows]
        path = new_path(month, keys)
        parts = (_texts(connection, hosts, "node_id", keys), _texts(connection, tags, "tag", keys))
        write_part(folder / path, rows, *parts)
        unsum(connection, {row[_END_S] for row in rows})
        _forget(connection, _list(connection, path, month, rows))
    return len(rows)


def _texts(
    connection: Connection, table: Table, column: str, keys: Sequence[int]
) -> dict[int, list[str]]:
    """Return the texts that belong to each job."""
    statement = select(table.c.job, table.c[column]).order_by(*table.primary_key)
    between = table.c.job.between(min(keys), max(keys))
    wanted, found = set(keys), defaultdict(list)
    for job, text in connection.execute(statement.where(between)):
        if job in wanted:
            found[job].append(text)
    return found


def _list(connection: Connection, path: str, month: str, rows: Sequence[Values]) -> int:
    """Record the file and the jobs in it; return the number of the file."""
    part = next_number(connection, archive_parts.c.id)
    about = {"month": month, "month_end_s": month_end_s(month), "written_s": time.time()}
    values = {"id": part, "path": path, "jobs": len(rows), **about}
    connection.execute(insert(archive_parts).values(values))
    listed = [(*(row[at] for at in _OF_ARCHIVED), part) for row in rows]
    insert_rows(connection, archived, listed)
    return part


def _forget(connection: Connection, part: int) -> None:
    """Delete from the store what the part holds."""
    keys = select(archived.c.id).where(archived.c.part == part)
    columns: tuple[Any, ...] = (aggregates.c.job, hosts.c.job, tags.c.job, jobs.c.id)
    for column in columns:
        connection.execute(delete(column.table).where(column.in_(keys)))


def _tidied(store: Store, folder: Path) -> tuple[str, ...]:
    """Remove what killed runs left; return other files that the store does not list."""
    remove_unfinished(folder)
    listed = {path for (path,) in store.select(select(archive_parts.c.path))}
    strange = []
    for path in files_in(folder):
        if path in listed:
            continue
        if _has_all(store, folder / path):
            (folder / path).unlink()
        else:
            strange.append(path)
    return tuple(strange)


def _has_all(store: Store, path: Path) -> bool:
    """Return whether the store still has every job of the file."""
    statement = "SELECT cluster, jobid, queue_s, attempt FROM archived_jobs"
    try:
        identities = set(ask([path], statement).rows)
    except SchedlabError:
        return False  # it is no part, or a damaged one
    with store.changing() as connection:
        return len(known(connection, identities)) == len(identities)
