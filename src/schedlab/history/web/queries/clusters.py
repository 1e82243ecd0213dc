"""Which clusters jobs speak of."""

from __future__ import annotations

from sqlalchemy import Connection, select

from schedlab.history.site import Site
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Viewer, visible


def clusters_of_jobs(connection: Connection, viewer: Viewer) -> list[str]:
    """The clusters on which jobs ran that the viewer sees."""
    names = select(jobs.c.cluster).where(visible(viewer), jobs.c.cluster != "").distinct()
    return sorted(connection.execute(names).scalars())


def clusters_of_site(connection: Connection, viewer: Viewer, site: Site | None) -> list[str]:
    """Those of the site; where it has no file, those on which jobs ran."""
    if site is not None:
        return [each.name for each in site.clusters]
    return clusters_of_jobs(connection, viewer)
