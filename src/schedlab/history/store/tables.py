"""The tables of a store.

``jobs.record`` holds the standard record, whole; most other columns of ``jobs``, and the tables
``hosts``, ``tags``, ``aggregates`` and ``provenances``, repeat parts of it for SQL to search and
sum.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    TextClause,
    func,
    text,
)

# SQLite keeps a row under its key, without a second index, only where the key's type is INTEGER.
Key = BigInteger().with_variant(Integer, "sqlite")

metadata = MetaData()


class Measurement(IntEnum):
    """Whether the sensors were asked about a job."""

    DONE = 0
    """They were asked, or there is nothing to ask: it has not ended, or the site has no sensors."""
    DUE = 1
    FAILED = 2
    """A sensor did not answer, or gave an answer that cannot be trusted."""


jobs = Table(
    "jobs",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("cluster", Text, nullable=False),
    Column("jobid", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("queue_s", BigInteger),
    Column("start_s", BigInteger),
    Column("end_s", BigInteger),
    Column("state", Text),
    Column("partition", Text),
    Column("user_identifier", Text),
    Column("accounting_group", Text),
    Column("job_name", Text),
    Column("num_host", Integer, nullable=False),
    Column("energy_joule", Double),
    Column("maxpower_watt", Double),
    Column("source", Text, nullable=False),
    # A digest of what the source said: an equal record is not measured again.
    Column("digest", BigInteger, nullable=False),
    Column("measurement", SmallInteger, nullable=False),
    Column("record", Text, nullable=False),
    # The record as the source gave it, where sensors have added to it since.
    Column("said", Text),
    Column("req_walltime_s", Double),
    # The sum of the times on all hosts; empty until the job has ended.
    Column("node_s", BigInteger),
)
Index(
    "job_identity",
    jobs.c.jobid,
    jobs.c.cluster,
    jobs.c.attempt,
    func.coalesce(jobs.c.queue_s, -1),
    unique=True,
)
# The values by which many jobs are compared and summed are in the index, since records are long.
_NUMBERS = (
    jobs.c.start_s,
    jobs.c.end_s,
    jobs.c.num_host,
    jobs.c.req_walltime_s,
    jobs.c.node_s,
    jobs.c.energy_joule,
)
Index(
    "job_queued",
    jobs.c.queue_s,
    jobs.c.id,
    *_NUMBERS,
    jobs.c.cluster,
    jobs.c.partition,
    jobs.c.user_identifier,
    jobs.c.accounting_group,
    jobs.c.state,
)
Index("job_ran", jobs.c.start_s, jobs.c.end_s)
Index("job_ended", jobs.c.end_s, jobs.c.start_s)
Index("job_user", jobs.c.user_identifier, jobs.c.queue_s, jobs.c.id, *_NUMBERS)
Index("job_group", jobs.c.accounting_group, jobs.c.queue_s)

# A query must contain these conditions word for word, or the index is not used for it.
UNMEASURED = text("measurement != 0")
# Not as a list of three: for that, SQLite rebuilds a table with each row that it adds.
UNFINISHED = text("(state = 'pending' OR state = 'running' OR state = 'suspended')")
LONG_S = 86_400
LONG = text(f"end_s - start_s > {LONG_S}")


def _index_of_some(name: str, condition: TextClause, *columns: Column[Any]) -> None:
    Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


_index_of_some("job_unmeasured", UNMEASURED, jobs.c.measurement, jobs.c.id)
_index_of_some("job_unfinished", UNFINISHED, jobs.c.queue_s, jobs.c.id)
_index_of_some("job_long", LONG, jobs.c.start_s, jobs.c.end_s)

hosts = Table(
    "hosts",
    metadata,
    Column("job", Key, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True),
    Column("node_id", Text, nullable=False),
    Column("start_s", BigInteger),
    Column("end_s", BigInteger),
)
Index("host_ran", hosts.c.node_id, hosts.c.end_s, hosts.c.start_s, hosts.c.job)

tags = Table(
    "tags",
    metadata,
    Column("job", Key, primary_key=True, autoincrement=False),
    Column("tag", Text, primary_key=True),
)
Index("tag_job", tags.c.tag, tags.c.job)

provenances = Table(
    "provenances",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("unit", Text),
    Column("native_step_s", Double),
    Column("scope", Text),
    Column("attribution", Text),
    Column("source", Text),
)

aggregates = Table(
    "aggregates",
    metadata,
    Column("job", Key, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True),
    Column("item", Text, primary_key=True),
    # The number of the accelerator, -1 for the host itself.
    Column("device", Integer, primary_key=True),
    Column("avg", Double),
    Column("max", Double),
    Column("min", Double),
    Column("integral", Double),
    Column("coverage", Double),
    Column("provenance", Key, ForeignKey("provenances.id")),
)

sources = Table(
    "sources",
    metadata,
    Column("name", Text, primary_key=True),
    # The source's own mark of how far it was read to its end.
    Column("cursor", Text),
)

ingests = Table(
    "ingests",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=False),
    Column("source", Text, nullable=False),
    Column("began_s", Double, nullable=False),
    # Empty while it runs, and for ever if it was killed.
    Column("ended_s", Double),
    Column("added", Integer, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("same", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
    Column("failure", Text),
)
Index("ingest_source", ingests.c.source, ingests.c.id)

faults = Table(
    "faults",
    metadata,
    Column("ingest", Key, ForeignKey("ingests.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("location", Text, nullable=False),
    Column("message", Text, nullable=False),
)
