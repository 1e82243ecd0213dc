"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables of jobs, hosts, aggregates and provenances, and of the log of ingests."""
    _jobs()
    _parts_of_jobs()
    _log()


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", _KEY, primary_key=True, autoincrement=False),
        sa.Column("cluster", sa.Text, nullable=False),
        sa.Column("jobid", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("queue_s", sa.BigInteger),
        sa.Column("start_s", sa.BigInteger),
        sa.Column("end_s", sa.BigInteger),
        sa.Column("state", sa.Text),
        sa.Column("partition", sa.Text),
        sa.Column("user_identifier", sa.Text),
        sa.Column("accounting_group", sa.Text),
        sa.Column("job_name", sa.Text),
        sa.Column("num_host", sa.Integer, nullable=False),
        sa.Column("energy_joule", sa.Double),
        sa.Column("maxpower_watt", sa.Double),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("digest", sa.BigInteger, nullable=False),
        sa.Column("measurement", sa.SmallInteger, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("said", sa.Text),
    )
    queued = sa.text("coalesce(queue_s, -1)")
    op.create_index("job_identity", "jobs", ["jobid", "cluster", "attempt", queued], unique=True)
    op.create_index("job_queued", "jobs", ["queue_s", "id"])
    op.create_index("job_ran", "jobs", ["start_s", "end_s"])
    op.create_index("job_user", "jobs", ["user_identifier", "queue_s"])
    unmeasured = sa.text("measurement != 0")
    op.create_index(
        "job_unmeasured",
        "jobs",
        ["measurement", "id"],
        sqlite_where=unmeasured,
        postgresql_where=unmeasured,
    )


def _parts_of_jobs() -> None:
    op.create_table(
        "hosts",
        sa.Column("job", _KEY, primary_key=True, autoincrement=False),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("node_id", sa.Text, nullable=False),
        sa.Column("start_s", sa.BigInteger),
        sa.Column("end_s", sa.BigInteger),
    )
    op.create_index("host_ran", "hosts", ["node_id", "end_s", "start_s"])
    op.create_table(
        "provenances",
        sa.Column("id", _KEY, primary_key=True, autoincrement=False),
        sa.Column("unit", sa.Text),
        sa.Column("native_step_s", sa.Double),
        sa.Column("scope", sa.Text),
        sa.Column("attribution", sa.Text),
        sa.Column("source", sa.Text),
    )
    op.create_table(
        "aggregates",
        sa.Column("job", _KEY, primary_key=True, autoincrement=False),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("item", sa.Text, primary_key=True),
        sa.Column("device", sa.Integer, primary_key=True),
        sa.Column("avg", sa.Double),
        sa.Column("max", sa.Double),
        sa.Column("min", sa.Double),
        sa.Column("integral", sa.Double),
        sa.Column("coverage", sa.Double),
        sa.Column("provenance", _KEY, sa.ForeignKey("provenances.id")),
    )


def _log() -> None:
    op.create_table(
        "sources",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("cursor", sa.Text),
    )
    op.create_table(
        "ingests",
        sa.Column("id", _KEY, primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("began_s", sa.Double, nullable=False),
        sa.Column("ended_s", sa.Double),
        sa.Column("added", sa.Integer, nullable=False),
        sa.Column("changed", sa.Integer, nullable=False),
        sa.Column("same", sa.Integer, nullable=False),
        sa.Column("faults", sa.Integer, nullable=False),
        sa.Column("failure", sa.Text),
    )
    op.create_index("ingest_source", "ingests", ["source", "id"])
    op.create_table(
        "faults",
        sa.Column("ingest", _KEY, sa.ForeignKey("ingests.id"), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("location", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
    )
