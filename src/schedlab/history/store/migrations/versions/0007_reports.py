"""Reports that were delivered, and who wants them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "deliveries",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("sent_s", sa.Double),
        sa.Column("failure", sa.Text),
    )
    op.create_table(
        "subscriptions",
        sa.Column(
            "account", sa.Text, sa.ForeignKey("accounts.name", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("period", sa.Text, nullable=False),
    )
