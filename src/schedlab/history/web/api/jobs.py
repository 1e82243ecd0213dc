"""Jobs: searched page by page, or streamed all at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field, WithJsonSchema
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from schedlab.history.web.api.answers import JobsPage, in_formats, refusals
from schedlab.history.web.api.formats import (
    FIELDS,
    MEDIA_TYPES,
    WRITERS,
    Format,
    check_fields,
    choose,
    picked,
)
from schedlab.history.web.parameters import (
    Asking,
    CurrentAsking,
    JobFilter,
    link,
    list_of,
    one_of,
    words,
)
from schedlab.history.web.queries.search import SORTS, Cursor, Sort, count, search
from schedlab.history.web.queries.shown import Record

CURSOR = WithJsonSchema({"type": "string", "pattern": "^[A-Za-z0-9_-]+={0,2}$"})
PAGE, LARGEST_PAGE, PORTION = 100, 1_000, 5_000

router = APIRouter(prefix="/v1", tags=["jobs"])


class JobsParameters(JobFilter):
    """Which jobs are wanted, in which order and in which format."""

    fields: Annotated[str, list_of(FIELDS)] | None = Field(
        None,
        description="Names of items, with commas between; all if it is not said. "
        "CSV, Parquet and Arrow have no items with items of their own.",
    )
    sort: Annotated[str, one_of(f"{sign}{by}" for by in SORTS for sign in ("", "-"))] = Field(
        "-queue_time", description="With `-` the greatest first."
    )
    cursor: Annotated[str, CURSOR] | None = Field(
        None, description="`next` of the page before, as it was given; it holds for the same sort."
    )
    limit: int | None = Field(
        None,
        ge=1,
        description=f"Jobs of a page of JSON, {PAGE} if not said and at most {LARGEST_PAGE}; "
        "of the other formats, which are streamed, all if not said.",
    )
    count: bool = Field(False, description="Count the jobs of all pages, up to 10,000.")
    format: Format | None = Field(None, description="Else as `Accept` says, else JSON.")

    def order(self) -> tuple[Sort, Cursor | None]:
        """Return the order of the jobs, and the job after which the page begins."""
        sort = Sort.parse(self.sort)
        return sort, None if self.cursor is None else Cursor.parse(self.cursor, sort)


@router.get(
    "/jobs",
    response_class=Response,
    responses={
        200: in_formats(JobsPage, tuple(Format), "A page of jobs, or all in a file."),
        **refusals(406),
    },
)
def get_jobs(
    request: Request, asking: CurrentAsking, parameters: Annotated[JobsParameters, Query()]
) -> Response:
    """Return the jobs that match every given parameter, of those that you may see.

    JSON comes in pages: ask again with `cursor` set to `next`. JSON lines, CSV, Parquet and Arrow
    are streamed with all jobs in them.
    """
    format = choose(parameters.format, request.headers.get("accept", ""))
    names = words(parameters.fields)
    check_fields(names, format)
    asking.shown.check(parameters.query())
    if format is Format.JSON:
        return _page(request, asking, parameters, names)
    portions = _portions(asking, parameters)
    first = next(portions, [])  # a mistake in the query shows before the answer begins
    body = WRITERS[format](filter(None, chain([first], portions)), names)
    return StreamingResponse(body, media_type=MEDIA_TYPES[format])


def _page(
    request: Request, asking: Asking, parameters: JobsParameters, names: list[str]
) -> Response:
    query, (sort, after) = parameters.query(), parameters.order()
    limit = min(parameters.limit or PAGE, LARGEST_PAGE)
    with asking.service.database.reading() as connection:
        page = search(connection, asking.viewer, query, sort=sort, after=after, limit=limit)
        total = count(connection, asking.viewer, query) if parameters.count else None
    following = None if page.next is None else str(page.next)
    if names:
        records = (asking.shown.record(job.document) for job in page.jobs)
        listed = b",".join(to_json(picked(record, names)) for record in records)
    else:
        listed = b",".join(asking.shown.document(job.document) for job in page.jobs)
    body = b'{"jobs":[' + listed + b'],"next":' + to_json(following)
    if total is not None:
        body += b',"total":' + to_json(total)
    headers = {}
    if following is not None:
        headers["link"] = f'<{link(request, cursor=following)}>; rel="next"'
    return Response(body + b"}", headers=headers, media_type=MEDIA_TYPES[Format.JSON])


def _portions(asking: Asking, parameters: JobsParameters) -> Iterator[list[Record]]:
    """Yield page after page, each read separately, so a slow client keeps no connection busy."""
    query, (sort, after) = parameters.query(), parameters.order()
    left = parameters.limit
    while left is None or left > 0:
        size = PORTION if left is None else min(PORTION, left)
        with asking.service.database.reading() as connection:
            page = search(connection, asking.viewer, query, sort=sort, after=after, limit=size)
        yield [asking.shown.record(job.document) for job in page.jobs]
        if page.next is None:
            return
        after, left = page.next, None if left is None else left - size
