"""Archived jobs: the store has their identities, the files have the records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from schedlab.history.job_archive.query import documents
from schedlab.history.store.archive_tables import archive_parts, archived
from schedlab.history.web.access import Viewer, visible


def archived_rows(
    connection: Connection, viewer: Viewer, condition: ColumnElement[bool]
) -> Sequence[Any]:
    """Return identities and files of the archived jobs that the viewer sees, latest first."""
    statement = select(archived, archive_parts.c.path).join(archive_parts)
    seen = statement.where(visible(viewer, archived), condition)
    return connection.execute(seen.order_by(archived.c.id.desc())).all()


def read_archived(folder: Path | None, rows: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    """Yield each of the rows with its record as JSON; none if the site file names no archive."""
    if not rows or folder is None:
        return
    files = defaultdict(list)
    for row in rows:
        files[row.path].append(row.id)
    found = documents(folder, files)
    yield from ((row, found[row.id]) for row in rows)


def newest_archived_s(connection: Connection) -> int | None:
    """Return the time before which all jobs of the archive ended; None if it is empty."""
    latest = select(func.max(archive_parts.c.month_end_s)).where(
        archive_parts.c.deleted_s.is_(None)
    )
    return connection.execute(latest).scalar()
