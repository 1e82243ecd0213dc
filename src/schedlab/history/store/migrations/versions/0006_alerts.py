"""Alerts, and when each automatic duty of the service is due."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables, with a row for each duty."""
    op.create_table(
        "alerts",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("says", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("began_s", sa.Double, nullable=False),
        sa.Column("seen_s", sa.Double, nullable=False),
        sa.Column("ended_s", sa.Double),
        sa.Column("mailed_s", sa.Double),
        sa.Column("posted_s", sa.Double),
        sa.Column("failure", sa.Text),
        sa.Column("acknowledged_by", sa.Text),
        sa.Column("acknowledged_s", sa.Double),
    )
    op.create_index("alert_ended", "alerts", ["ended_s", "began_s"])
    duties = op.create_table(
        "duties",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("due_s", sa.Double, nullable=False),
    )
    op.bulk_insert(duties, [{"name": "alerts", "due_s": 0.0}, {"name": "reports", "due_s": 0.0}])
