"""What-ifs of policies in the API: ask, look at the result, and download the schedule."""

from __future__ import annotations

import io
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.errors import UnknownNameError
from schedlab.history.web.api.answers import (
    PoliciesAnswer,
    ScheduleAnswer,
    WhatIfAnswer,
    in_formats,
    refusals,
)
from schedlab.history.web.api.formats import MEDIA_TYPES, Format, choose, table_response
from schedlab.history.web.current import CurrentViewer
from schedlab.history.web.parameters import Moment, Name, Parameters
from schedlab.history.web.planning import Planner, ask_what_if, own_what_if
from schedlab.history.web.problems import HttpProblem
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.service import CurrentService
from schedlab.history.web.simulations.policy_names import (
    EVOLVED,
    MOST_POLICIES,
    OFFERED,
    check_policies,
)
from schedlab.history.web.simulations.schedule_table import unpack_schedules
from schedlab.history.web.simulations.what_if import SCHEDULES, WhatIfComparison, WhatIfSettings
from schedlab.history.web.simulations.window import Window
from schedlab.history.web.tasks import QueuedTask, State
from schedlab.history.web.windows import clusters_of
from schedlab.policies import POLICIES

router = APIRouter(prefix="/v1", tags=["what if"])

SCHEDULE_FORMATS = (Format.CSV, Format.JSON, Format.PARQUET)
_JSON = MEDIA_TYPES[Format.JSON]


class PictureFormat(StrEnum):
    """How a picture is written."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


PICTURES = {
    PictureFormat.PNG: "image/png",
    PictureFormat.SVG: "image/svg+xml",
    PictureFormat.PDF: "application/pdf",
}


class Question(BaseModel):
    """A cluster, a time on it, and the policies under which it is simulated."""

    model_config = ConfigDict(extra="forbid")

    cluster: Name
    from_: Moment = Field(alias="from", description="Jobs submitted from then on are counted.")
    to: Moment = Field(description="And before then.")
    policies: list[Name] = Field(
        min_length=1,
        max_length=MOST_POLICIES,
        description="Names as `/v1/policies` lists them; parameters follow as `:key=value,...`.",
    )
    whole_nodes: bool = Field(
        False, description="Whether every job has its nodes to itself; else as it asked."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_ >= self.to:
            raise ValueError("from: must lie before to")
        return self


class ScheduleParameters(Parameters):
    """How the schedule is written."""

    format: Literal["csv", "json", "parquet"] | None = Field(
        None, description="Else as `Accept` says, else JSON."
    )


class PictureParameters(Parameters):
    """How the picture is written."""

    format: PictureFormat = Field(PictureFormat.PNG, description="Of the file.")


@router.get(
    "/policies",
    response_class=Response,
    responses={200: {"model": PoliciesAnswer, "description": "Policies."}, **refusals()},
)
def get_policies(viewer: CurrentViewer) -> Response:
    """Return the policies that can be simulated, with one sentence and the parameters of each."""
    listed = [{"name": name, **_about(name)} for name in OFFERED]
    return Response(to_json({"policies": listed}), media_type=_JSON)


def _about(name: str) -> dict[str, Any]:
    if name in EVOLVED:
        return {"sentence": EVOLVED[name], "parameters": {}}
    entry = POLICIES[name]
    meanings = {key: each.meaning for key, each in entry.parameters.items()}
    return {"sentence": entry.sentence, "parameters": meanings}


@router.post(
    "/what-if",
    status_code=202,
    response_class=Response,
    responses={202: {"model": WhatIfAnswer, "description": "It is simulated."}, **refusals()},
)
def post_what_if(service: CurrentService, viewer: Planner, question: Question) -> Response:
    """Simulate a window of history under other policies, in the background.

    All jobs of the cluster are simulated; the results cover the jobs you may see. The same question
    gives the same task for as long as the history of the window does not change. It is for
    managers, support and administrators.
    """
    clusters = clusters_of(service, viewer)
    if question.cluster not in clusters:
        raise UnknownNameError("cluster", question.cluster, clusters)
    settings = WhatIfSettings(
        window=Window(question.cluster, question.from_, question.to),
        policies=tuple(check_policies(question.policies)),
        whole_nodes=question.whole_nodes,
    )
    task = own_what_if(service, viewer, ask_what_if(service, viewer, settings))
    return Response(to_json(_shown(task)), status_code=202, media_type=_JSON)


@router.get(
    "/what-if/{task}",
    response_class=Response,
    responses={200: {"model": WhatIfAnswer, "description": "A what-if."}, **refusals(404)},
)
def get_what_if(service: CurrentService, viewer: Planner, task: str) -> Response:
    """Return the progress and the result of a simulation that you asked for."""
    return Response(to_json(_shown(own_what_if(service, viewer, task))), media_type=_JSON)


@router.get(
    "/what-if/{task}/schedule",
    response_class=Response,
    responses={
        200: in_formats(ScheduleAnswer, SCHEDULE_FORMATS, "A row for each job and policy."),
        **refusals(404, 406, 409),
    },
)
def get_what_if_schedule(
    request: Request,
    service: CurrentService,
    viewer: Planner,
    task: str,
    parameters: Annotated[ScheduleParameters, Query()],
) -> Response:
    """Return when each job that you may see started and ended: as it was, and under each policy."""
    wanted = None if parameters.format is None else Format(parameters.format)
    format = choose(wanted, request.headers.get("accept", ""), SCHEDULE_FORMATS)
    found = _done(own_what_if(service, viewer, task))
    if SCHEDULES not in found.result:
        raise HttpProblem(409, "this was simulated before schedules were kept; simulate it again")
    frame = unpack_schedules(found.result[SCHEDULES])
    if format is Format.JSON:
        stream = io.BytesIO()
        frame.write_json(stream)
        answer = Response(b'{"jobs":' + stream.getvalue() + b"}", media_type=_JSON)
    else:
        answer = table_response(frame, format)
    answer.headers["content-disposition"] = f'attachment; filename="what-if-{task}.{format}"'
    return answer


@router.get(
    "/what-if/{task}/picture",
    response_class=Response,
    responses={
        200: {
            "description": "Waits and nodes in use.",
            "content": {
                each: {"schema": {"type": "string", "format": "binary"}}
                for each in PICTURES.values()
            },
        },
        **refusals(404, 409),
    },
)
def get_what_if_picture(
    service: CurrentService,
    viewer: Planner,
    task: str,
    parameters: Annotated[PictureParameters, Query()],
) -> Response:
    """Draw waits and nodes in use as a picture; what really happened lies on top."""
    from schedlab.history.web.plots.picture import what_if_picture

    found = _done(own_what_if(service, viewer, task))
    content = what_if_picture(
        WhatIfComparison.from_result(found.result),
        WhatIfSettings.of(found.parameters).window,
        zone_of(service),
        parameters.format,
    )
    name = f"what-if-{task}.{parameters.format}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=PICTURES[parameters.format], headers=headers)


def _done(task: QueuedTask) -> QueuedTask:
    if task.state is not State.DONE:
        raise HttpProblem(409, f"the simulation is {task.state}; there is nothing to take away")
    return task


def _shown(task: QueuedTask) -> dict[str, Any]:
    settings = WhatIfSettings.of(task.parameters)
    result = None
    if task.state is State.DONE:
        result = {key: value for key, value in task.result.items() if key != SCHEDULES}
    return {
        "id": task.id,
        "state": task.state,
        "progress": task.progress,
        "failure": task.failure,
        "settings": settings.parameters(),
        "result": result,
    }
