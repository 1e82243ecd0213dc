"""One job by its key in the store, which a link to its page has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from schedlab.history.store.archive_tables import archived
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible
from schedlab.history.web.queries.archived import archived_rows, read_archived
from schedlab.history.web.queries.search import Found

_GREATEST = 2**63 - 1


def jobs_by_key(
    connection: Connection, viewer: Viewer, keys: Sequence[int], archive: Path | None
) -> list[Found]:
    """Those of the jobs that the viewer sees, in the order of the keys, archived ones too."""
    possible = [key for key in keys if 0 <= key <= _GREATEST]
    statement = select(jobs.c.id, jobs.c.record).where(visible(viewer), jobs.c.id.in_(possible))
    records = {key: Found(key, record) for key, record in connection.execute(statement)}
    missing = [key for key in possible if key not in records]
    if missing:
        rows = archived_rows(connection, viewer, archived.c.id.in_(missing))
        for row, document in read_archived(archive, rows):
            records[row.id] = Found(row.id, document)
    return [records[key] for key in dict.fromkeys(possible) if key in records]
