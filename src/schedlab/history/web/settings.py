"""The settings of the history service."""

from __future__ import annotations

from dataclasses import dataclass, field

from schedlab.history.service_section import ServiceSection
from schedlab.history.site import Site
from schedlab.history.web.loop import SiteLoop
from schedlab.history.web.mirror import SiteMirror
from schedlab.history.web.twin import Twin


@dataclass(frozen=True)
class ServiceSettings:
    """The settings of the history service.

    Args:
        store: the URL of the store.
        site: what the site file says; without one there are no timelines.
        service: how the history is served.
        twin: the twin of the site's Slurm, if there is one.
        loop: the loop that steers this Slurm, if there is one.
        mirror: the mirror of the jobs that run and wait there now, if there is one.
    """

    store: str
    site: Site | None = None
    service: ServiceSection = field(default_factory=ServiceSection)
    twin: Twin | None = None
    loop: SiteLoop | None = None
    mirror: SiteMirror | None = None
