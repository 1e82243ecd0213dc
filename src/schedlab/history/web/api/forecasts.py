"""Forecasts of the starts of waiting jobs."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field
from pydantic_core import from_json, to_json
from sqlalchemy import Connection
from starlette.responses import Response

from schedlab.errors import UnknownNameError
from schedlab.history.schema.times import format_time, from_epoch
from schedlab.history.web.access import Role
from schedlab.history.web.api.answers import ForecastAnswer, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.forecasts import Forecast, ask_forecast, known_forecast
from schedlab.history.web.parameters import Asking, CurrentAsking, Name, Parameters
from schedlab.history.web.queries.search import FoundJob, clusters_of_site
from schedlab.history.web.queries.unfinished import unfinished_jobs

router = APIRouter(prefix="/v1", tags=["jobs"])


class ForecastParameters(Parameters):
    """The cluster whose jobs are wanted."""

    cluster: Name | None = Field(None, description="Of this cluster; of all if it is not said.")


@router.get(
    "/forecasts",
    response_class=Response,
    responses={200: {"model": ForecastAnswer, "description": "Starts by cluster."}, **refusals()},
)
def get_forecasts(
    asking: CurrentAsking, parameters: Annotated[ForecastParameters, Query()]
) -> Response:
    """Return when each waiting job that you may see will start, with its 80 % interval.

    The last forecast is returned at once. If it is older than two minutes and there was news from
    the scheduler since, a newer one is computed in the background: ask again while `state` is
    `waiting` or `running`. Jobs that are held or not yet eligible have no forecast.
    """
    service = asking.service
    with service.database.reading() as connection:
        clusters = clusters_of_site(connection, asking.viewer, service.settings.site)
    chosen = clusters if parameters.cluster is None else [parameters.cluster]
    for cluster in chosen:
        if cluster not in clusters:
            raise UnknownNameError("cluster", cluster, clusters)
        if asking.viewer.role is not Role.PUBLIC:
            ask_forecast(service, cluster)
    with service.database.reading() as connection:
        found = [_of_cluster(connection, asking, each) for each in chosen]
    return Response(to_json({"clusters": found}), media_type=MEDIA_TYPES[Format.JSON])


def _of_cluster(connection: Connection, asking: Asking, cluster: str) -> dict[str, Any]:
    forecast, task = known_forecast(connection, cluster)
    found: dict[str, Any] = {
        "cluster": cluster,
        "state": "none" if task is None else str(task.state),
        "failure": None if task is None else task.failure,
        "now": None,
        "age_s": None,
        "how": "",
        "jobs": [],
    }
    if forecast is not None:
        found["now"] = format_time(from_epoch(forecast.now_s))
        found["age_s"] = max(time.time() - forecast.made_s, 0.0)
        found["how"] = forecast.how
        jobs = unfinished_jobs(connection, asking.viewer, cluster)
        found["jobs"] = [
            _job(asking, forecast, each) for each in jobs if each.key in forecast.starts
        ]
    return found


def _job(asking: Asking, forecast: Forecast, job: FoundJob) -> dict[str, Any]:
    record = from_json(job.document)
    low, start, high = (format_time(from_epoch(int(each))) for each in forecast.starts[job.key])
    return {
        "jobid": record["jobid"],
        "user": asking.shown.name("user", record.get("user_identifier")),
        "low": low,
        "start": start,
        "high": high,
        "words": forecast.words(job.key, asking.zone),
    }
