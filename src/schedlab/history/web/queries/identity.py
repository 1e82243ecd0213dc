"""Jobs by their ids, which are not unique: schedulers use them again, and clusters share them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from schedlab.history.store.archive_tables import archived
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible
from schedlab.history.web.queries.archived import archived_rows, read_archived


@dataclass(frozen=True)
class JobId:
    """An id and, as far as it takes to be one job's, what else tells the job from others."""

    jobid: str
    cluster: str | None = None
    queue_s: int | None = None
    attempt: int | None = None

    def fits(self, job: IdentifiedJob) -> bool:
        """Whether it can be that job; a job without a cluster matches any."""
        return (
            self.jobid == job.jobid
            and (self.cluster is None or job.cluster in ("", self.cluster))
            and self.queue_s in (None, job.queue_s)
            and self.attempt in (None, job.attempt)
        )


@dataclass(frozen=True)
class IdentifiedJob:
    """A job of the store: what identifies it, its key, and its record as JSON."""

    jobid: str
    cluster: str
    queue_s: int | None
    attempt: int
    key: int
    document: str


def jobs_of(
    connection: Connection, viewer: Viewer, ids: Sequence[JobId], archive: Path | None
) -> Mapping[JobId, list[IdentifiedJob]]:
    """The jobs that each id can mean, of those that the viewer sees; latest first.

    Archived ones come after those of the store.
    """
    columns = (jobs.c.jobid, jobs.c.cluster, jobs.c.queue_s, jobs.c.attempt, jobs.c.id)
    wanted = sorted({each.jobid for each in ids})
    statement = select(*columns, jobs.c.record).where(visible(viewer), jobs.c.jobid.in_(wanted))
    by_jobid: dict[str, list[IdentifiedJob]] = {}
    for row in connection.execute(statement.order_by(jobs.c.id.desc())):
        by_jobid.setdefault(row.jobid, []).append(IdentifiedJob(*row))
    rows = archived_rows(connection, viewer, archived.c.jobid.in_(wanted))
    for row, document in read_archived(archive, rows):
        who = (row.jobid, row.cluster, row.queue_s, row.attempt, row.id)
        by_jobid.setdefault(row.jobid, []).append(IdentifiedJob(*who, document))
    return {each: [job for job in by_jobid.get(each.jobid, ()) if each.fits(job)] for each in ids}
