"""Grouped sums: who used how much, and how long they waited."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.web.api.answers import Stats, in_formats, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, TABLES, Format, choose, table_response
from schedlab.history.web.parameters import CurrentAsking, JobFilter, list_of, one_of, words
from schedlab.history.web.queries.stats import KEYS, stats

ROWS, MOST_ROWS = 1_000, 100_000

router = APIRouter(prefix="/v1", tags=["stats"])


class StatsParameters(JobFilter):
    """Which jobs are summed, and the keys by which they are grouped."""

    by: Annotated[str, list_of(KEYS, most=3)] = Field(
        "user", description=f"Up to three, with commas between, of: {', '.join(KEYS)}."
    )
    limit: int = Field(ROWS, ge=1, le=MOST_ROWS, description="At most this many groups.")
    format: Annotated[Format, one_of(TABLES)] | None = Field(
        None, description="Else as `Accept` says, else JSON."
    )


@router.get(
    "/stats",
    response_class=Response,
    responses={200: in_formats(Stats, TABLES, "A row for each group."), **refusals(406)},
)
def get_stats(
    request: Request, asking: CurrentAsking, parameters: Annotated[StatsParameters, Query()]
) -> Response:
    """Return the number, node-hours, energy and mean waits of the chosen jobs, for each group.

    Days are those of the site's zone. A job counts on the day of the event that `time` names; if
    that is `overlap`, on the day when it ended. Groups come in the order of their days if they
    have days; else those with the most node-hours come first.
    """
    format = choose(parameters.format, request.headers.get("accept", ""), TABLES)
    by, query = words(parameters.by), parameters.query()
    asking.shown.check(query)
    for key in by:
        asking.shown.check_grouping(key)
    day = "ended" if parameters.time == "overlap" else parameters.time
    with asking.service.database.reading() as connection:
        groups = stats(connection, asking.viewer, query, by, day=day, zone=asking.zone)
    rows: list[dict[str, Any]] = [
        {key: asking.shown.group(key, name) for key, name in zip(by, names, strict=True)}
        | sums.shown()
        for names, sums in groups[: parameters.limit]
    ]
    if format is not Format.JSON:
        import polars as pl

        return table_response(pl.DataFrame(rows, infer_schema_length=None), format)
    content = {"by": by, "rows": rows, "groups": len(groups)}
    return Response(to_json(content), media_type=MEDIA_TYPES[format])
