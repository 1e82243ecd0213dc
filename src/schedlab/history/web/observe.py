"""Monitoring of the service: a log line and a count for each request, /healthz and /metrics."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter
from sqlalchemy import func, select
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schedlab.history.store.tables import ingests
from schedlab.history.web.current import MetricsReader
from schedlab.history.web.problems import ProblemResponse
from schedlab.history.web.queries.site_metrics import QUANTILES, unfinished_jobs, waits
from schedlab.history.web.service import CurrentService, Service

_LOG = logging.getLogger("schedlab.service")
_ACCESS = logging.getLogger("schedlab.access")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

router = APIRouter(include_in_schema=False)


class RequestObserver:
    """Numbers, logs and counts each request, and answers those that fail unexpectedly.

    The query of a URL is not logged: it may hold names, or what a login provider sent along.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._metrics = app, service.metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, then log and count the request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number, began_s, status = secrets.token_hex(8), time.perf_counter(), 0

        async def send_numbered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = number
            await send(message)

        try:
            await self._app(scope, receive, send_numbered)
        except Exception:
            _LOG.exception("request %s failed", number)
            if status:
                raise
            # JSON even for a browser: it may be the rendering of pages that fails.
            answer = ProblemResponse(500, f"the service failed; its log says why: {number}")
            await answer(scope, receive, send_numbered)
        finally:
            self._note(scope, number, status, time.perf_counter() - began_s)

    def _note(self, scope: Scope, number: str, status: int, took_s: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.count_request(method, route, status, took_s)
        client = (scope.get("client") or ("-",))[0]
        line = (client, scope["method"], quote(scope["path"]), status, 1e3 * took_s, number)
        _ACCESS.info("%s %s %s %d %.1f ms %s", *line)


@router.get("/healthz")
def healthz(service: CurrentService) -> Response:
    """Say whether the service can read its store."""
    service.database.examine()
    return JSONResponse({"status": "ok"})


@router.get("/metrics")
def metrics(service: CurrentService, viewer: MetricsReader) -> Response:
    """Return counts for Prometheus."""
    lines = [*service.metrics.lines(), *_ingest_lines(service), *_site_lines(service)]
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _ingest_lines(service: Service) -> Iterator[str]:
    family = "schedlab_ingest_ended_timestamp_seconds"
    yield f"# HELP {family} When a job source was last read to its end."
    yield f"# TYPE {family} gauge"
    whole = ingests.c.failure.is_(None)
    ended = select(ingests.c.source, func.max(ingests.c.ended_s)).where(whole)
    with service.database.reading() as connection:
        for source, ended_s in connection.execute(ended.group_by(ingests.c.source)):
            if ended_s is not None:
                yield f'{family}{{source="{_escaped(source)}"}} {ended_s:.3f}'


def _site_lines(service: Service) -> Iterator[str]:
    """Yield counts of jobs by cluster, partition and state, and waits of the last day's starts."""
    with service.database.reading() as connection:
        counts = list(unfinished_jobs(connection))
        waited = list(waits(connection, time.time()))
    family = "schedlab_jobs"
    yield f"# HELP {family} Jobs that wait, run or are suspended, as of the last ingest."
    yield f"# TYPE {family} gauge"
    for labels, count in counts:
        yield f"{family}{{{_labels(labels)}}} {count}"
    family = "schedlab_job_wait_seconds"
    yield f"# HELP {family} Waits of jobs that began in the last day."
    yield f"# TYPE {family} gauge"
    for labels, values in waited:
        for share, wait_s in zip(QUANTILES, values, strict=True):
            yield f"{family}{{{_labels(labels | {'quantile': str(share)})}}} {wait_s:.0f}"


def _labels(labels: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(label: Any) -> str:
    return str(label).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
