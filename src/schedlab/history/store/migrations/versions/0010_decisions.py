"""Decisions of a site's loop."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "decisions",
        sa.Column("site", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("step", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("policy", sa.Text),
        sa.Column("digest", sa.Text),
        sa.Column("entry", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
