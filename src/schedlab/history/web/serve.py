"""Running the service: in this process, or in several workers."""

from __future__ import annotations

import gc
import json
import os
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from schedlab.errors import ParameterError
from schedlab.history.service_section import check_prefix
from schedlab.history.site import Site, read_site
from schedlab.history.web.loop import SiteLoop
from schedlab.history.web.metrics import FOLDER
from schedlab.history.web.mirror import SiteMirror
from schedlab.history.web.settings import ServiceSettings
from schedlab.history.web.twin import Twin
from schedlab.lookup import import_object

if TYPE_CHECKING:
    from fastapi import FastAPI
import ctypes
import logging

_PLACE = "SCHEDLAB_SERVICE"
_GRACE_S = 20
"""Time to complete the requests in progress when the service is asked to stop."""
_IDLE_S = 75
"""Time until an idle connection is closed. It is longer than the 60 s for which nginx keeps one by
default: the client must be the first to close, or a request may meet a connection just closed."""

_STUCK_S = 60
"""Time without a sign of life after which a worker is replaced. On a busy machine, a worker that
only waits for a processor must not lose the requests that it is answering."""


@dataclass(frozen=True, kw_only=True)
class ServicePlace:
    """Where the settings are, as text that can be passed to another process.

    Args:
        site: the site file, if there is one.
        store: the store, in place of the site file's.
        prefix: the prefix of all paths, in place of the site file's.
        twin: what makes a twin of the folder that ``[slurm]`` names, as ``package.module:object``.
        loop: what makes the interface to that folder's loop, in the same form.
        mirror: what makes the interface to its live mirror, in the same form.
    """

    site: str | None = None
    store: str | None = None
    prefix: str | None = None
    twin: str | None = None
    loop: str | None = None
    mirror: str | None = None

    def settings(self) -> ServiceSettings:
        """Return the settings that these files give."""
        if self.site is None and self.store is None:
            raise ParameterError("name a site file or a store")
        site = None if self.site is None else read_site(self.site)
        store = self.store or (site.store.located(site.path.parent) if site else "")
        settings = ServiceSettings(store, site)
        if site is not None:
            settings = replace(
                settings,
                service=site.service,
                twin=self._twin(site),
                loop=self._loop(site),
                mirror=self._mirror(site),
            )
        if self.prefix is not None:
            check_prefix(self.prefix)
            settings = replace(settings, service=replace(settings.service, prefix=self.prefix))
        return settings

    def _twin(self, site: Site) -> Twin | None:
        if site.slurm is None or self.twin is None:
            return None
        made: Twin = import_object("twin", self.twin)(site.path.parent / site.slurm.site)
        return made

    def _loop(self, site: Site) -> SiteLoop | None:
        if site.slurm is None or self.loop is None:
            return None
        made: SiteLoop = import_object("loop", self.loop)(site.path.parent / site.slurm.site)
        return made

    def _mirror(self, site: Site) -> SiteMirror | None:
        if site.slurm is None or self.mirror is None:
            return None
        made: SiteMirror = import_object("mirror", self.mirror)(site.path.parent / site.slurm.site)
        return made


def serve(
    place: ServicePlace,
    *,
    host: str,
    port: int,
    workers: int = 1,
    listening: Callable[[str], None],
) -> None:
    """Answer requests until a signal comes, then complete those in progress.

    Args:
        place: where the settings are.
        host: the address to listen at.
        port: the port to listen at; 0 takes a free one.
        workers: the number of processes that answer.
        listening: called with the URL once requests are accepted.
    """
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from schedlab.history.web.connection import MOST_HEAD_BYTES, Connection

    settings = place.settings()
    with _bound(host, port) as listener, tempfile.TemporaryDirectory() as counts:
        config = uvicorn.Config(
            _app(settings, workers),
            factory=workers > 1,
            http=Connection,
            h11_max_incomplete_event_size=MOST_HEAD_BYTES,
            workers=workers,
            proxy_headers=False,  # the app does it itself, since it must know the proxy's address
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=_GRACE_S,
            timeout_keep_alive=_IDLE_S,
            timeout_worker_healthcheck=_STUCK_S,
        )
        listening(_url(host, listener) + settings.service.prefix)
        with suppress(KeyboardInterrupt):
            if workers == 1:
                uvicorn.Server(config).run(sockets=[listener])
            else:
                os.environ.update({_PLACE: json.dumps(asdict(place)), FOLDER: counts})
                Multiprocess(config, sockets=[listener]).run()


def app_of_worker() -> FastAPI:
    """Return the web app, in a worker process that another process has started."""
    from schedlab.history.web.app import create_app
    from schedlab.history.web.serve import log_to_stderr

    log_to_stderr()
    app = create_app(ServicePlace(**json.loads(os.environ[_PLACE])).settings())
    _settle()
    return app


def _app(settings: ServiceSettings, workers: int) -> FastAPI | str:
    from schedlab.history.web.app import create_app

    app = create_app(settings)  # so that errors are raised here, not in every worker
    if workers == 1:
        _settle()
        return app
    app.state.service.database.close()
    return f"{__name__}:{app_of_worker.__name__}"


def _settle() -> None:
    """Prepare a process for many requests."""
    gc.freeze()  # objects that exist from the start are not searched for garbage each time
    give_memory_back()


def _bound(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ParameterError(f"cannot listen at {host}, port {port}: {reason}") from None
    # asyncio sets this only for sockets that name their protocol, which these do not; without it
    # the body of an answer waits 40 ms for the client to acknowledge the headers.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.set_inheritable(True)
    return listener


def _url(host: str, listener: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def log_to_stderr() -> None:
    """Log what the service does, and the warnings of other libraries."""
    logging.basicConfig(level=logging.WARNING, format=_FORMAT)
    logging.getLogger("schedlab").setLevel(logging.INFO)


_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # as glibc's malloc.h has them
_LARGE_BYTES = 128 * 1024


def give_memory_back() -> None:
    """Make glibc return freed memory to the system; other C libraries do so already.

    By default each thread gets an arena of its own, in which large answers leave gaps, and the
    kept memory grows with the largest block ever freed: a process grew by a tenth in 6,000
    requests.
    """
    with suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in (
            (_ARENA_MAX, 2),
            (_MMAP_THRESHOLD, _LARGE_BYTES),
            (_TRIM_THRESHOLD, _LARGE_BYTES),
        ):
            mallopt(option, value)
