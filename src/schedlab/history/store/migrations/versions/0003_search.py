"""Columns and indices by which the history service searches and sums."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_NUMBERS = ["start_s", "end_s", "num_host", "req_walltime_s", "node_s", "energy_joule"]
_NAMES = ["cluster", "partition", "user_identifier", "accounting_group", "state"]

# How each database gets a number, and the tags, from the record.
_NUMBER = {
    "sqlite": "json_extract(record, '$.{0}')",
    "postgresql": "CAST(CAST(record AS jsonb) #>> '{{{0}}}' AS float8)",
}
_TAGS = {
    "sqlite": "SELECT DISTINCT jobs.id, t.value FROM jobs, json_each(record, '$.tags') t",
    "postgresql": "SELECT DISTINCT jobs.id, t.value FROM jobs, "
    "jsonb_array_elements_text(CAST(record AS jsonb) -> 'tags') t",
}


def upgrade() -> None:
    """Add the request, the node time and the tags; widen indices so that scans read only them."""
    op.add_column("jobs", sa.Column("req_walltime_s", sa.Double))
    op.add_column("jobs", sa.Column("node_s", sa.BigInteger))
    op.create_table(
        "tags",
        sa.Column("job", _KEY, primary_key=True, autoincrement=False),
        sa.Column("tag", sa.Text, primary_key=True),
    )
    op.create_index("tag_job", "tags", ["tag", "job"])
    _fill()
    for name, table in (("job_queued", "jobs"), ("job_user", "jobs"), ("host_ran", "hosts")):
        op.drop_index(name, table)
    op.create_index("host_ran", "hosts", ["node_id", "end_s", "start_s", "job"])
    op.create_index("job_queued", "jobs", ["queue_s", "id", *_NUMBERS, *_NAMES])
    op.create_index("job_user", "jobs", ["user_identifier", "queue_s", "id", *_NUMBERS])
    op.create_index("job_ended", "jobs", ["end_s", "start_s"])
    op.create_index("job_group", "jobs", ["accounting_group", "queue_s"])
    unfinished = sa.text("state IN ('pending', 'running', 'suspended')")
    _index_of_some("job_unfinished", unfinished, ["queue_s", "id"])
    _index_of_some("job_long", sa.text("end_s - start_s > 86400"), ["start_s", "end_s"])


def _index_of_some(name: str, condition: sa.TextClause, columns: list[str]) -> None:
    op.create_index(name, "jobs", columns, sqlite_where=condition, postgresql_where=condition)


def _fill() -> None:
    dialect = op.get_bind().dialect.name
    number = _NUMBER[dialect]
    limit = number.format("req_walltime_sec")
    given = number.format(
        "resource_alloc.num_host" if dialect == "sqlite" else "resource_alloc,num_host"
    )
    on_hosts = "SELECT sum(h.end_s - h.start_s) FROM hosts h WHERE h.job = jobs.id"
    by_count = f"(end_s - start_s) * coalesce(nullif({given}, 0), num_host)"
    op.execute(
        f"UPDATE jobs SET req_walltime_s = {limit}, node_s = CASE WHEN start_s <= end_s "
        f"THEN coalesce(({on_hosts}), {by_count}) END"
    )
    op.execute(f"INSERT INTO tags (job, tag) {_TAGS[dialect]}")
