"""The largest of the jobs that ended in a window, which account for most of the waste."""

from __future__ import annotations

from sqlalchemy import Connection, select

from schedlab.history.efficiency.waste import WastedJob, wasted
from schedlab.history.schema.job import JobRecord
from schedlab.history.site import Site
from schedlab.history.store.queries import JobQuery, conditions
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible_of_few

MOST_JOBS = 1_000


def largest_jobs(
    connection: Connection,
    viewer: Viewer,
    site: Site | None,
    from_s: int,
    to_s: int,
    *,
    query: JobQuery | None = None,
) -> list[WastedJob]:
    """Return the largest jobs that the viewer sees and what they wasted, most node-hours first."""
    ended = (jobs.c.end_s >= from_s, jobs.c.end_s < to_s, jobs.c.node_s > 0)
    statement = select(jobs.c.id, jobs.c.record).where(visible_of_few(viewer), *ended)
    statement = statement.where(*conditions(query or JobQuery()))
    by_size = statement.order_by(jobs.c.node_s.desc(), jobs.c.id).limit(MOST_JOBS)
    found = (
        wasted(key, JobRecord.model_validate_json(record), site)
        for key, record in connection.execute(by_size)
    )
    return [each for each in found if each is not None]
