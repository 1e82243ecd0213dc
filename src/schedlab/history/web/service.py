"""The objects that one process of the service holds, and how a route gets them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from schedlab.command_files import read_secret
from schedlab.errors import ParameterError
from schedlab.history.pseudonyms import Release, read_key
from schedlab.history.web.access.oidc import Provider
from schedlab.history.web.database import Database
from schedlab.history.web.metrics import Metrics
from schedlab.history.web.settings import ServiceSettings
from schedlab.history.web.simulations import simulations
from schedlab.history.web.tasks.runner import Runner


@dataclass(frozen=True, eq=False)
class Service:
    """The settings, the store, the counters and the simulations."""

    settings: ServiceSettings
    database: Database
    metrics: Metrics
    runner: Runner
    release_key: bytes | None = None
    provider: Provider | None = None

    @classmethod
    def start(cls, settings: ServiceSettings) -> Service:
        """Return the service, with all that must be read before the first request."""
        key = _release_key(settings) if settings.service.public else None
        provider = _provider(settings)
        if settings.twin is not None:
            settings.twin.groups()
        database = Database(settings.store)
        runner = Runner(database, simulations(database, settings))
        return cls(settings, database, Metrics.start(), runner, key, provider)

    @property
    def is_public(self) -> bool:
        """Whether visitors see anonymised jobs."""
        return self.release_key is not None

    @property
    def archive_folder(self) -> Path | None:
        """The folder of archived jobs; None if the site file names none."""
        site = self.settings.site
        if site is None or site.archive is None:
            return None
        return site.path.parent / site.archive.folder

    def release(self) -> Release:
        """Return a new release to the public: it remembers names, so it serves one request."""
        if self.release_key is None or self.settings.site is None:
            raise ParameterError("the site releases nothing to the public")
        return Release("public", self.release_key, self.settings.site.release)


def _release_key(settings: ServiceSettings) -> bytes:
    if settings.site is None:
        raise ParameterError("[service] public: needs a site file, whose [release] it follows")
    return read_key(settings.site.path.parent / settings.site.release.key)


def _provider(settings: ServiceSettings) -> Provider | None:
    section = settings.service.oidc
    if section is None:
        return None
    folder = settings.site.path.parent if settings.site else Path()
    return Provider(section, read_secret(folder / section.client_secret_file, "client secret"))


async def _service(request: Request) -> Service:  # if not async, it would wait for a thread
    service: Service = request.app.state.service
    return service


CurrentService = Annotated[Service, Depends(_service)]
