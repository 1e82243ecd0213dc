"""Jobs that were moved to the archive."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "archive_parts",
        sa.Column("id", _KEY, primary_key=True, autoincrement=False),
        sa.Column("path", sa.Text, nullable=False, unique=True),
        sa.Column("jobs", sa.Integer, nullable=False),
        sa.Column("month", sa.Text, nullable=False),
        sa.Column("month_end_s", sa.BigInteger, nullable=False),
        sa.Column("written_s", sa.Double, nullable=False),
        sa.Column("deleted_s", sa.Double),
    )
    op.create_table(
        "archived",
        sa.Column("id", _KEY, primary_key=True, autoincrement=False),
        sa.Column("cluster", sa.Text, nullable=False),
        sa.Column("jobid", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("queue_s", sa.BigInteger),
        sa.Column("user_identifier", sa.Text),
        sa.Column("accounting_group", sa.Text),
        sa.Column("part", _KEY, sa.ForeignKey("archive_parts.id"), nullable=False),
    )
    queued = sa.text("coalesce(queue_s, -1)")
    identity = "archived_identity"
    op.create_index(identity, "archived", ["jobid", "cluster", "attempt", queued], unique=True)
    op.create_index("archived_part", "archived", ["part"])
