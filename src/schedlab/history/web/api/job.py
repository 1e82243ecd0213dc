"""Jobs by their ids."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field, field_serializer
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.schema.times import format_time, from_epoch
from schedlab.history.web.api.answers import RECORD, JobsByIds, as_json, refusals
from schedlab.history.web.api.formats import FIELDS, MEDIA_TYPES, Format, check_fields, picked
from schedlab.history.web.parameters import (
    Count,
    CurrentAsking,
    Moment,
    Name,
    Parameters,
    list_of,
    one_of,
    words,
)
from schedlab.history.web.problems import ProblemResponse, not_found
from schedlab.history.web.queries.search import IdentifiedJob, JobId, jobs_of

MOST_IDS = 1_000

router = APIRouter(prefix="/v1", tags=["jobs"])


class Identity(BaseModel):
    """An id and, where several jobs have it, what tells them apart."""

    model_config = ConfigDict(extra="forbid")

    jobid: Name
    cluster: Name | None = None
    queue_time: Moment | None = None
    attempt: Count | None = None

    def job_id(self) -> JobId:
        """Return the identity in the form that queries take."""
        return JobId(self.jobid, self.cluster, self.queue_time, self.attempt)

    @field_serializer("queue_time")
    def _as_given(self, queue_s: int | None) -> str | None:
        return None if queue_s is None else format_time(from_epoch(queue_s))


class JobParameters(Parameters):
    """What tells the job from others with its id, and the fields that are wanted."""

    cluster: Name | None = Field(None, description="Its cluster.")
    queue_time: Moment | None = Field(None, description="When it was submitted.")
    attempt: Count | None = Field(None, description="Which attempt at it.")
    fields: Annotated[str, list_of(FIELDS)] | None = Field(
        None, description="Names of items, with commas between."
    )


@router.get(
    "/jobs/{jobid:path}",
    response_class=Response,
    responses={200: as_json(RECORD, "The record, or parts of it."), **refusals(404, 409)},
)
def get_job(
    asking: CurrentAsking,
    jobid: Annotated[Name, Path(description="Its id.")],
    parameters: Annotated[JobParameters, Query()],
) -> Response:
    """Return the record of one job.

    Ids are used again: if several jobs have this one, the answer lists them; choose one of them by
    `cluster`, `queue_time` or `attempt`.
    """
    names = words(parameters.fields)
    check_fields(names, Format.JSON)
    wanted = JobId(jobid, parameters.cluster, parameters.queue_time, parameters.attempt)
    with asking.service.database.reading() as connection:
        found = jobs_of(connection, asking.viewer, [wanted], asking.service.archive_folder)[wanted]
    if not found:
        raise not_found()
    if len(found) > 1:
        return several(found)
    if names:
        body = to_json(picked(asking.shown.record(found[0].document), names))
    else:
        body = asking.shown.document(found[0].document)
    return Response(body, media_type=MEDIA_TYPES[Format.JSON])


def several(found: list[IdentifiedJob]) -> Response:
    """Return the refusal for an id that several jobs have, with these jobs, which may be seen."""
    choices = [
        {
            "jobid": job.jobid,
            "cluster": job.cluster or None,
            "queue_time": job.queue_s and format_time(from_epoch(job.queue_s)),
            "attempt": job.attempt,
        }
        for job in found
    ]
    detail = f"{len(found)} jobs have this id; say cluster, queue_time or attempt as well"
    return ProblemResponse(409, detail, errors=choices)


class BatchOfIds(BaseModel):
    """The ids of the jobs that are wanted."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[Name | Identity], Field(min_length=1, max_length=MOST_IDS)]
    fields: list[Annotated[str, one_of(FIELDS)]] = Field(
        [], description="Names of items; all if there are none."
    )


@router.post(
    "/jobs:batchGet",
    response_class=Response,
    responses={200: {"model": JobsByIds, "description": "The jobs."}, **refusals()},
)
def get_jobs_by_ids(asking: CurrentAsking, wanted: BatchOfIds) -> Response:
    """Return every job that has one of the ids; ids of which no job can be seen are listed."""
    check_fields(wanted.fields, Format.JSON)
    ids = {JobId(each) if isinstance(each, str) else each.job_id(): each for each in wanted.ids}
    with asking.service.database.reading() as connection:
        found = jobs_of(connection, asking.viewer, list(ids), asking.service.archive_folder)
    jobs = {job.key: job.document for each in found.values() for job in each}
    missing = [
        given if isinstance(given, str) else given.model_dump(exclude_none=True)
        for each, given in ids.items()
        if not found[each]
    ]
    if wanted.fields:
        records = [
            to_json(picked(asking.shown.record(each), wanted.fields)) for each in jobs.values()
        ]
    else:
        records = [asking.shown.document(each) for each in jobs.values()]
    body = b'{"jobs":[' + b",".join(records) + b'],"missing":' + to_json(missing) + b"}"
    return Response(body, media_type=MEDIA_TYPES[Format.JSON])
