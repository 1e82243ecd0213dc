"""Sums over the jobs that ended on a day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the tables; they fill with the next ingest, or while a service runs."""
    op.create_table(
        "day_sums",
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("cluster", sa.Text, nullable=False),
        sa.Column("partition", sa.Text),
        sa.Column("user_identifier", sa.Text),
        sa.Column("accounting_group", sa.Text),
        sa.Column("state", sa.Text),
        sa.Column("jobs", sa.BigInteger, nullable=False),
        sa.Column("node_s", sa.BigInteger),
        sa.Column("ended", sa.BigInteger, nullable=False),
        sa.Column("energy_joule", sa.Double),
        sa.Column("measured", sa.BigInteger, nullable=False),
        sa.Column("wait_s", sa.BigInteger),
        sa.Column("started", sa.BigInteger, nullable=False),
        sa.Column("wra", sa.Double),
        sa.Column("limited", sa.BigInteger, nullable=False),
    )
    op.create_index("day_sum", "day_sums", ["day"])
    op.create_table(
        "summed_days", sa.Column("day", sa.Integer, primary_key=True, autoincrement=False)
    )
    op.execute("INSERT INTO duties (name, due_s) VALUES ('sums', 0.0)")
