"""The other attempts at a job that was queued again."""

from __future__ import annotations

import re

from sqlalchemy import Connection, select

from schedlab.history.ingest.source import FORGET_AFTER_S
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible

MOST_ATTEMPTS = 100
_SUFFIX = re.compile(r"\.r\d+$")


def attempts_at(connection: Connection, viewer: Viewer, key: int) -> list[tuple[int, int]]:
    """Return the number and the key of each attempt at the job that the viewer sees, this one too.

    Later attempts have ids such as ``7.r2``, or the same id with another number. An id that was
    used again long after belongs to another job.
    """
    columns = (jobs.c.jobid, jobs.c.cluster, jobs.c.queue_s)
    this = connection.execute(select(*columns).where(jobs.c.id == key)).one_or_none()
    if this is None:
        return []  # it was archived
    first = _SUFFIX.sub("", this.jobid)
    ids = [first, *(f"{first}.r{number}" for number in range(2, MOST_ATTEMPTS + 1))]
    statement = select(jobs.c.attempt, jobs.c.id).where(
        visible(viewer), jobs.c.jobid.in_(ids), jobs.c.cluster == this.cluster
    )
    if this.queue_s is not None:
        reach = (this.queue_s - FORGET_AFTER_S, this.queue_s + FORGET_AFTER_S)
        statement = statement.where(jobs.c.queue_s.between(*reach))
    rows = connection.execute(statement.order_by(jobs.c.attempt, jobs.c.id))
    return [(attempt, other) for attempt, other in rows]
