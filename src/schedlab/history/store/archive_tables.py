"""The tables of jobs that were moved to the archive: their identities and their files."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, Table, Text, func

from schedlab.history.store.tables import Key, metadata

archive_parts = Table(
    "archive_parts",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    # The path of the file, relative to the folder of the archive.
    Column("path", Text, nullable=False, unique=True),
    Column("jobs", Integer, nullable=False),
    # All jobs of the file ended in this month, and before its end.
    Column("month", Text, nullable=False),
    Column("month_end_s", BigInteger, nullable=False),
    Column("written_s", Double, nullable=False),
    # Empty until the file is deleted because it is too old; the row stays.
    Column("deleted_s", Double),
)

archived = Table(
    "archived",
    metadata,
    # The key that the job had in ``jobs``, so that links to its page remain valid.
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("cluster", Text, nullable=False),
    Column("jobid", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("queue_s", BigInteger),
    Column("user_identifier", Text),
    Column("accounting_group", Text),
    Column("part", Key, ForeignKey("archive_parts.id"), nullable=False),
)
Index(
    "archived_identity",
    archived.c.jobid,
    archived.c.cluster,
    archived.c.attempt,
    func.coalesce(archived.c.queue_s, -1),
    unique=True,
)
Index("archived_part", archived.c.part)
