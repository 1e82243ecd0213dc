"""Ingest of jobs from a hook that the scheduler calls when a job is submitted, starts or ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field, ValidationError
from pydantic_core import from_json, to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from schedlab.history.schema.fault import Fault, faults_of
from schedlab.history.schema.job import JobRecord
from schedlab.history.store import Counts, Store
from schedlab.history.web.api.answers import Ingested, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.current import Ingester
from schedlab.history.web.parameters import Name, Parameters
from schedlab.history.web.problems import HttpProblem, ProblemResponse
from schedlab.history.web.service import CurrentService, Service

MOST_BYTES = 32 * 2**20
MOST_RECORDS = 10_000
_SHOWN_FAULTS = 20

router = APIRouter(prefix="/v1", tags=["ingest"])

_RECORDS = {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "One standard job record, an array of them, or one on each line.",
        "content": {
            "application/json": {"schema": _RECORDS},
            "application/x-ndjson": {"schema": {"type": "string"}},
        },
    }
}


class IngestParameters(Parameters):
    """The source under whose name the records are stored."""

    source: Name = Field("hook", description="Where the records come from.")


@router.post(
    "/ingest",
    response_class=Response,
    responses={200: {"model": Ingested, "description": "They are stored."}, **refusals(413)},
    openapi_extra=_BODY,
)
async def post_jobs(
    request: Request,
    service: CurrentService,
    viewer: Ingester,
    parameters: Annotated[IngestParameters, Query()],
) -> Response:
    """Store job records, all of them or none; the answer comes when they are stored for good.

    A record replaces the one with its identity: `cluster`, `jobid`, `queue_time` and `attempt`.
    Sending one again changes nothing, so a hook that got no answer sends it again. The next run of
    `schedlab history ingest` asks the sensors about jobs that have ended.
    """
    body = await _body(request)
    return await run_in_threadpool(_stored, service, body, parameters.source)


async def _body(request: Request) -> bytes:
    """Return the body of the request, unless it is too large to be held in memory."""
    received = bytearray()
    async for part in request.stream():
        received += part
        if len(received) > MOST_BYTES:
            raise HttpProblem(
                413, f"the body is larger than {MOST_BYTES // 2**20} MiB; send less at once"
            )
    return bytes(received)


def _stored(service: Service, body: bytes, source: str) -> Response:
    records: list[JobRecord] = []
    faults: list[Fault] = []
    for at, document in enumerate(_documents(body)):
        try:
            records.append(JobRecord.model_validate(document))
        except ValidationError as error:
            faults += faults_of(error, f"record {at + 1}")
    if faults:
        return _refused(faults)
    counts = _put(service, records, source)
    content = {name: getattr(counts, name) for name in Ingested.model_fields}
    return Response(to_json(content), media_type=MEDIA_TYPES[Format.JSON])


def _documents(body: bytes) -> list[Any]:
    if rb"\u0000" in body:
        raise HttpProblem(422, r"a text has the character \u0000 in it, which no database keeps")
    try:
        document = from_json(body)
        documents = document if isinstance(document, list) else [document]
    except ValueError:
        documents = list(_lines(body))
    if not 1 <= len(documents) <= MOST_RECORDS:
        raise HttpProblem(422, f"{len(documents)} records; must be 1 to {MOST_RECORDS:,}")
    return documents


def _lines(body: bytes) -> Iterator[Any]:
    for number, line in enumerate(body.split(b"\n"), 1):
        if line.strip():
            try:
                yield from_json(line)
            except ValueError as error:
                raise HttpProblem(422, f"line {number} is not JSON: {error}") from None


def _refused(faults: list[Fault]) -> Response:
    errors = [{"where": each.where, "what": each.message} for each in faults[:_SHOWN_FAULTS]]
    detail = f"nothing was stored; {faults[0]}"
    if len(faults) > 1:
        detail += f"; and {len(faults) - 1} more"
    return ProblemResponse(422, detail, errors=errors)


def _put(service: Service, records: list[JobRecord], source: str) -> Counts:
    """Store the records in one transaction; if nodes are shared, not while shares are measured."""
    store = Store(service.database.url, service.database.engine)
    site = service.settings.site
    is_measured = site is not None and bool(site.sensor_sources)
    shares = site is not None and is_measured and site.sharing is not None
    with store.ingesting() if shares else nullcontext():
        return store.put(records, source=source, to_measure=is_measured, nodes_are_shared=shares)
