"""Which clusters jobs speak of."""

from __future__ import annotations

from sqlalchemy import Connection, select

from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible


def clusters_of_jobs(connection: Connection, viewer: Viewer) -> list[str]:
    """The clusters on which jobs ran that the viewer sees."""
    names = select(jobs.c.cluster).where(visible(viewer), jobs.c.cluster != "").distinct()
    return sorted(connection.execute(names).scalars())
