"""The jobs of a cluster that run and wait, at the time of the last news from its scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, Connection, Select, func, select, tuple_

from schedlab.history.schema.job import JobState
from schedlab.history.store.tables import UNFINISHED, ingests, jobs
from schedlab.history.web.access import Viewer, countable, visible_of_few
from schedlab.history.web.queries.search import FoundJob

MOST = 10_000
"""The largest number of jobs that have not ended to look at; of more, the oldest are taken."""
HELD = "JobHeld"
NOT_ELIGIBLE = ("Dependency", "DependencyNeverSatisfied", "BeginTime")
"""Slurm's reasons for jobs that it does not consider yet."""


class Standing(StrEnum):
    """How a job stands with its scheduler."""

    ENDED = "ended"
    RUNS = "runs"
    WAITS = "waits"
    HELD = "held"
    NOT_ELIGIBLE = "not yet eligible"


def standing_of(record: Mapping[str, Any], now_s: float) -> Standing:
    """Return how the job of a record stands with its scheduler."""
    state, reason = record.get("state"), record.get("wait_reason") or ""
    if state in (JobState.RUNNING, JobState.SUSPENDED):
        return Standing.RUNS if record.get("start_time") else Standing.WAITS
    if state != JobState.PENDING:
        return Standing.ENDED
    if reason.startswith(HELD):
        return Standing.HELD
    eligible = record.get("eligible_time")
    is_early = eligible and datetime.fromisoformat(eligible).timestamp() > now_s
    is_bound = reason.partition(",")[0].strip() in NOT_ELIGIBLE
    return Standing.NOT_ELIGIBLE if is_early or is_bound else Standing.WAITS


def unfinished_jobs(
    connection: Connection, viewer: Viewer, cluster: str, most: int = MOST
) -> list[FoundJob]:
    """Return the jobs that run and wait on a cluster and that the viewer sees, the oldest first."""
    rows = connection.execute(_seen(viewer, cluster, jobs.c.id, jobs.c.record).limit(most))
    return [FoundJob(key, document) for key, document in rows]


def unfinished_keys(connection: Connection, viewer: Viewer, cluster: str) -> list[int]:
    """Return the keys of ``unfinished_jobs``, without reading their records."""
    return list(connection.execute(_seen(viewer, cluster, jobs.c.id).limit(MOST)).scalars())


def keys_by_jobid(connection: Connection, viewer: Viewer, cluster: str) -> dict[str, int]:
    """Return the keys of ``unfinished_jobs`` by their ids."""
    rows = connection.execute(_seen(viewer, cluster, jobs.c.jobid, jobs.c.id).limit(MOST))
    return dict(map(tuple, rows))


def _seen(viewer: Viewer, cluster: str, *columns: Column[Any]) -> Select[Any]:
    those = (UNFINISHED, jobs.c.cluster == cluster, visible_of_few(viewer))
    return select(*columns).where(*those).order_by(jobs.c.queue_s, jobs.c.id)


def standings(
    connection: Connection, viewer: Viewer, cluster: str
) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many jobs run and wait on a cluster, and their nodes, by state, for all users."""
    columns = (jobs.c.state, func.count(), func.coalesce(func.sum(jobs.c.num_host), 0))
    statement = select(*columns).where(UNFINISHED, jobs.c.cluster == cluster, countable(viewer))
    rows = connection.execute(statement.group_by(jobs.c.state)).all()
    return {row[0]: int(row[1]) for row in rows}, {row[0]: int(row[2]) for row in rows}


def heard_s(connection: Connection, cluster: str) -> int | None:
    """Return when the sources of unfinished jobs were last read to their end; None if unknown.

    If no ingest is noted, it is the latest submission or start of these jobs.
    """
    those = (UNFINISHED, jobs.c.cluster == cluster)
    sources = select(jobs.c.source).where(*those).distinct()
    read = select(func.max(ingests.c.ended_s)).where(
        ingests.c.source.in_(sources), ingests.c.failure.is_(None)
    )
    found = connection.execute(read).scalar()
    if found is None:
        moments = select(func.max(jobs.c.queue_s), func.max(jobs.c.start_s)).where(*those)
        known = [each for each in connection.execute(moments).one() if each is not None]
        found = max(known, default=None)
    return None if found is None else int(found)


def ahead_of(connection: Connection, viewer: Viewer, cluster: str, queue_s: int, key: int) -> int:
    """Return how many jobs wait on the cluster that came before this one."""
    before = tuple_(jobs.c.queue_s, jobs.c.id) < (queue_s, key)
    those = (UNFINISHED, jobs.c.state == JobState.PENDING, jobs.c.cluster == cluster)
    statement = select(func.count()).where(*those, before, countable(viewer))
    return int(connection.execute(statement).scalar_one())
