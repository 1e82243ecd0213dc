"""What the history service is made from."""

from __future__ import annotations

from dataclasses import dataclass, field

from schedlab.history.service_section import ServiceSection
from schedlab.history.site import Site
from schedlab.history.web.loop import SiteLoop
from schedlab.history.web.mirror import SiteMirror
from schedlab.history.web.twin import Twin


@dataclass(frozen=True)
class ServiceSettings:
    """What the service is made from.

    Args:
        store: the URL of the store.
        site: what the site file says; without one there are no timelines.
        service: how the history is served.
        twin: of the site's Slurm, if there is one.
        loop: that steers it, if there is one.
        mirror: of what runs and waits there now, if there is one.
    """

    store: str
    site: Site | None = None
    service: ServiceSection = field(default_factory=ServiceSection)
    twin: Twin | None = None
    loop: SiteLoop | None = None
    mirror: SiteMirror | None = None
