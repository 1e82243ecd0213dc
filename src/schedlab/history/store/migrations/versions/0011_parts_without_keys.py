"""Hosts, tags and aggregates no longer refer to their job by a constraint.

They are written and deleted in the transaction that writes and deletes the job, and looking up the
job for each of them took over a quarter of PostgreSQL's work for an ingest. SQLite keeps the
constraints of existing tables, since it would have to copy a table to drop one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Drop the constraints of a store in PostgreSQL that was made with them."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    for table in ("hosts", "tags", "aggregates"):
        for key in sa.inspect(connection).get_foreign_keys(table):
            if key["referred_table"] == "jobs":
                op.drop_constraint(str(key["name"]), table, type_="foreignkey")
