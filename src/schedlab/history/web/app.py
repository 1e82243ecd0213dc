"""The web app of the history service, assembled from its parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from schedlab.history.web import observe
from schedlab.history.web.api import alerts as alerts_api
from schedlab.history.web.api import (
    clusters,
    documentation,
    forecasts,
    grafana,
    ingest,
    job,
    jobs,
    slurm,
    stats,
    timelines,
    users,
)
from schedlab.history.web.api import efficiency as efficiency_api
from schedlab.history.web.api import reports as reports_api
from schedlab.history.web.api import what_if as what_if_api
from schedlab.history.web.api.schema import describe
from schedlab.history.web.error_handlers import answer_problems
from schedlab.history.web.middleware import BehindProxy, BodyLimit, Conditional, SecurityHeaders
from schedlab.history.web.observe import RequestObserver
from schedlab.history.web.pages import (
    account,
    admin,
    advice,
    alerts,
    cluster,
    compare,
    efficiency,
    home,
    job_data,
    job_gain,
    login,
    oidc,
    operate,
    queue,
    reports,
    starts,
    twin,
    what_if,
    what_if_compare,
)
from schedlab.history.web.pages import job as job_page
from schedlab.history.web.pages import jobs as jobs_page
from schedlab.history.web.pages import tasks as task_pages
from schedlab.history.web.pages import users as user_pages
from schedlab.history.web.plots.embed import library_folder
from schedlab.history.web.render import STATIC
from schedlab.history.web.service import Service
from schedlab.history.web.settings import ServiceSettings
from schedlab.history.web.watcher import Watcher, watcher_of
from schedlab.version import __version__

ROUTERS = (
    jobs.router,
    job.router,
    timelines.router,
    clusters.router,
    forecasts.router,
    users.router,
    stats.router,
    efficiency_api.router,
    alerts_api.router,
    reports_api.router,
    what_if_api.router,
    slurm.router,
    grafana.router,
    ingest.router,
    documentation.router,
    observe.router,
    login.router,
    oidc.router,
    account.router,
    home.router,
    jobs_page.router,
    job_page.router,
    job_data.router,
    job_gain.router,
    compare.router,
    user_pages.router,
    advice.router,
    cluster.router,
    queue.router,
    starts.router,
    efficiency.router,
    reports.router,
    alerts.router,
    what_if_compare.router,
    twin.router,
    what_if.router,
    task_pages.router,
    operate.router,
    admin.router,
)
"""The routes of the service: one router per file of ``api`` and ``pages``, the busiest first."""

_LEAST_COMPRESSED_BYTES = 1_000
_COMPRESSION = 4  # from 1 to 9: at 9 a table takes four times as long, and is 7 % smaller
_THREADS = 5  # as many as the connections that are kept; more would only wait for each other


def create_app(settings: ServiceSettings) -> FastAPI:
    """Return the web app for the store that the settings name; the store must exist."""
    service = Service.start(settings)
    app = FastAPI(
        title="schedlab history",
        version=__version__,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # FastAPI's own pages would load scripts from other sites
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.service = service
    app.state.watcher = watcher_of(service.database, settings)
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static/bokeh", StaticFiles(directory=library_folder()), name="bokeh")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    describe(app)
    answer_problems(app)
    # The middleware that is added last sees a request first and its answer last.
    app.add_middleware(BodyLimit)
    app.add_middleware(Conditional)
    app.add_middleware(
        GZipMiddleware, minimum_size=_LEAST_COMPRESSED_BYTES, compresslevel=_COMPRESSION
    )
    app.add_middleware(RequestObserver, service=service)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(BehindProxy, section=settings.service)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    current_default_thread_limiter().total_tokens = _THREADS
    service: Service = app.state.service
    service.runner.start()
    watcher: Watcher = app.state.watcher
    watcher.start()
    sharing = asyncio.create_task(service.metrics.keep_sharing())
    yield
    sharing.cancel()
    await run_in_threadpool(service.runner.stop)
    await run_in_threadpool(watcher.stop)
    service.database.close()
