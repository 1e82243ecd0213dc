"""What-ifs of Slurm's configuration in the API: the parameters, and replays by the twin."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.web.api.answers import TwinAnswer, TwinParametersAnswer, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.parameters import Name
from schedlab.history.web.planning import Operator, ask_twin, own_twin_task, twin_of
from schedlab.history.web.service import CurrentService
from schedlab.history.web.tasks import QueuedTask, State
from schedlab.history.web.twin import (
    MOST_CHANGES,
    MOST_PHASES,
    Twin,
    TwinSettings,
    checked_settings,
)

router = APIRouter(prefix="/v1/slurm", tags=["what if"])

_JSON = MEDIA_TYPES[Format.JSON]
Texts = Annotated[list[Name], Field(max_length=MOST_CHANGES)]


class TwinQuestion(BaseModel):
    """The changes to the configuration, and how often the history is replayed."""

    model_config = ConfigDict(extra="forbid")

    changes: Texts = Field(
        [],
        description="As slurm.conf has them: `PriorityWeightAge=1000`, `bf_interval=60`.",
        examples=[["bf_interval=60"]],
    )
    nodes: Texts = Field(
        [], description="More nodes: `16:gpu` are 16 like those of a host, partition or feature."
    )
    phases: int = Field(
        8, ge=1, le=MOST_PHASES, description="How often the phases of slurmctld's loops are drawn."
    )
    seed: int = Field(0, ge=0, lt=2**31, description="Draws them.")


def _twin(service: CurrentService, viewer: Operator) -> Twin:
    return twin_of(service)


CurrentTwin = Annotated[Twin, Depends(_twin)]


@router.get(
    "/parameters",
    response_class=Response,
    responses={
        200: {"model": TwinParametersAnswer, "description": "Parameters."},
        **refusals(404),
    },
)
def get_parameters(viewer: Operator, twin: CurrentTwin) -> Response:
    """Return the parameters of slurm.conf that the twin heeds, with their present values.

    They are for support and administrators.
    """
    listed = [
        {
            "group": group,
            "name": each.name,
            "value": each.value,
            "unit": each.unit,
            "choices": list(each.choices),
        }
        for group, parameters in twin.groups().items()
        for each in parameters
    ]
    return Response(to_json({"parameters": listed}), media_type=_JSON)


@router.post(
    "/what-if",
    status_code=202,
    response_class=Response,
    responses={202: {"model": TwinAnswer, "description": "It is replayed."}, **refusals(404)},
)
def post_what_if(
    service: CurrentService, viewer: Operator, twin: CurrentTwin, question: TwinQuestion
) -> Response:
    """Replay the site's history, with Slurm as it is and as changed, in the background.

    The same question gives the same task for as long as the folder of the twin does not change. It
    is for support and administrators: the result covers all jobs.
    """
    settings = checked_settings(
        twin, question.changes, question.nodes, question.phases, question.seed
    )
    task = own_twin_task(service, viewer, ask_twin(service, viewer, twin, settings))
    return Response(to_json(_shown(task)), status_code=202, media_type=_JSON)


@router.get(
    "/what-if/{task}",
    response_class=Response,
    responses={200: {"model": TwinAnswer, "description": "A what-if."}, **refusals(404)},
)
def get_what_if(
    service: CurrentService, viewer: Operator, twin: CurrentTwin, task: str
) -> Response:
    """Return the progress and the result of a replay that you asked for."""
    return Response(to_json(_shown(own_twin_task(service, viewer, task))), media_type=_JSON)


def _shown(task: QueuedTask) -> dict[str, Any]:
    return {
        "id": task.id,
        "state": task.state,
        "progress": task.progress,
        "failure": task.failure,
        "settings": TwinSettings.of(task.parameters).parameters(),
        "result": task.result if task.state is State.DONE else None,
    }
