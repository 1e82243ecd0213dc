"""What a store knows of its archive."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import func, select

from schedlab.history.store import Store
from schedlab.history.store.archive_tables import archive_parts

_KEPT = archive_parts.c.deleted_s.is_(None)


def listed_files(store: Store, folder: Path) -> list[Path]:
    """Return the files that the archive consists of."""
    rows = store.select(
        select(archive_parts.c.path)
        .where(_KEPT)
        .order_by(archive_parts.c.month, archive_parts.c.id)
    )
    return [folder / path for (path,) in rows]


def archived_count(store: Store) -> int:
    """Return how many jobs are in the archive."""
    total = select(func.coalesce(func.sum(archive_parts.c.jobs), 0)).where(_KEPT)
    return int(store.select(total)[0][0])
