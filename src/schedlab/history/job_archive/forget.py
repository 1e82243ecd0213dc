"""Delete from the archive what is too old to be kept."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import delete, select, update

from schedlab.errors import OutputError
from schedlab.history.store import Store
from schedlab.history.store.archive_tables import archive_parts, archived


@dataclass
class Deleted:
    """What was deleted."""

    jobs: int = 0
    files: int = 0
    days: int = 0
    """Days of timelines, counted for each cluster."""


def delete_old(store: Store, folder: Path, before_s: int) -> Deleted:
    """Delete jobs of months that ended by ``before_s``, and timelines of earlier days.

    A file is deleted before its entry in the list: a run that is killed leaves an entry without a
    file, and the next run goes on from there.
    """
    gone = Deleted()
    try:
        for part, path, count in _old(store, before_s):
            (folder / path).unlink(missing_ok=True)
            with store.changing() as connection:
                connection.execute(delete(archived).where(archived.c.part == part))
                this = update(archive_parts).where(archive_parts.c.id == part)
                connection.execute(this.values(deleted_s=time.time()))
            gone.jobs += count
            gone.files += 1
        first = f"date={datetime.fromtimestamp(before_s, UTC).date()}"
        for day in folder.glob("cluster=*/date=*"):
            if day.name < first:
                shutil.rmtree(day)
                gone.days += 1
    except OSError as error:
        told = f"{error.filename}: cannot be deleted: {(error.strerror or '').lower()}"
        raise OutputError(told) from None
    return gone


def _old(store: Store, before_s: int) -> list[tuple[int, str, int]]:
    columns = (archive_parts.c.id, archive_parts.c.path, archive_parts.c.jobs)
    old = (archive_parts.c.month_end_s <= before_s) & archive_parts.c.deleted_s.is_(None)
    return [
        (*row,) for row in store.select(select(*columns).where(old).order_by(archive_parts.c.id))
    ]
