"""Simulations that users asked the history service for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table of tasks."""
    op.create_table(
        "tasks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("viewer", sa.Text, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("progress", sa.Double, nullable=False),
        sa.Column("worker", sa.Text),
        sa.Column("seen_s", sa.Double),
        sa.Column("created_s", sa.Double, nullable=False),
        sa.Column("ended_s", sa.Double),
        sa.Column("result", sa.Text),
        sa.Column("failure", sa.Text),
    )
    op.create_index("task_state", "tasks", ["state", "created_s"])
    op.create_index("task_account", "tasks", ["account", "kind", "created_s"])
