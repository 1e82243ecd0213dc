"""The largest of the jobs that ended in a time: what they waste is most of what is wasted."""

from __future__ import annotations

from sqlalchemy import Connection, select

from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible_of_few
from schedlab.history.web.queries.search import Found

MOST_JOBS = 1_000


def largest_jobs(connection: Connection, viewer: Viewer, from_s: int, to_s: int) -> list[Found]:
    """Those of most node-hours first, of those that the viewer sees."""
    ended = (jobs.c.end_s >= from_s, jobs.c.end_s < to_s, jobs.c.node_s > 0)
    statement = select(jobs.c.id, jobs.c.record).where(visible_of_few(viewer), *ended)
    by_size = statement.order_by(jobs.c.node_s.desc(), jobs.c.id).limit(MOST_JOBS)
    return [Found(key, record) for key, record in connection.execute(by_size)]
