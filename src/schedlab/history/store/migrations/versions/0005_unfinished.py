"""The index of unfinished jobs, by a condition that is cheap to check for an added row."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Rebuild the index: for a list of three, SQLite builds a table with each row it adds."""
    unfinished = sa.text("(state = 'pending' OR state = 'running' OR state = 'suspended')")
    op.drop_index("job_unfinished", "jobs")
    op.create_index(
        "job_unfinished",
        "jobs",
        ["queue_s", "id"],
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )
