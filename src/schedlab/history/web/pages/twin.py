"""What if Slurm were configured otherwise? The twin of the site answers.

The address of the page holds the settings, as it does for the other what-ifs.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from schedlab.errors import ParameterError
from schedlab.history.web.access import Viewer
from schedlab.history.web.pages.what_if import Posted, waits_table
from schedlab.history.web.planning import (
    OperatorInPerson,
    ask_twin,
    own_twin_task,
    own_twin_tasks,
    twin_of,
)
from schedlab.history.web.problems import HttpProblem
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.render import path_of, render
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.tasks import QueuedTask, State
from schedlab.history.web.twin import MOST_PHASES, Twin, TwinSettings, checked_settings
from schedlab.units import parse_whole

router = APIRouter(include_in_schema=False)

_RECENT = 10
Texts = Annotated[list[str], Query(max_length=100)]


def _twin(service: CurrentService, viewer: OperatorInPerson) -> Twin:
    return twin_of(service)


CurrentTwin = Annotated[Twin, Depends(_twin)]


@router.get("/what-if/slurm", name="twin")
def twin_page(
    request: Request,
    service: CurrentService,
    viewer: OperatorInPerson,
    twin: CurrentTwin,
    changes: Annotated[list[str], Query(alias="set", max_length=100)] = [],  # noqa: B006
    add: Texts = [],  # noqa: B006 (FastAPI copies it)
    phases: str = "8",
    seed: str = "0",
) -> Response:
    """Show the form, the result of these settings, and earlier what-ifs."""
    form = _form_of(changes, add, phases, seed)
    if not changes and not add:
        return _page(request, service, viewer, form)
    try:
        settings = _settings(twin, changes, add, phases, seed)
    except ParameterError as error:
        return _page(request, service, viewer, form, fault=str(error))
    form = {**form, "changed": dict(_pair(each) for each in settings.changes)}
    return _page(request, service, viewer, form, settings)


@router.post("/what-if/slurm", name="twin_ask")
def twin_ask(
    request: Request,
    service: CurrentService,
    viewer: OperatorInPerson,
    twin: CurrentTwin,
    posted: Posted,
) -> Response:
    """Have the history replayed under the changed values, and go to the page of the settings."""

    def first(name: str) -> str:
        return next(iter(posted.get(name, ())), "").strip()

    present = {each.name: each.value for group in twin.groups().values() for each in group}
    changes = [
        f"{name}={first(name)}"
        for name, value in present.items()
        if name in posted and first(name) != value
    ]
    given = (changes, first("add").replace(",", " ").split(), first("phases"), first("seed"))
    try:
        settings = _settings(twin, *given)
        ask_twin(service, viewer, twin, settings)
    except ParameterError as error:
        return _page(request, service, viewer, _form_of(*given), fault=str(error))
    return RedirectResponse(twin_path(request, settings), HTTPStatus.SEE_OTHER)


@router.get("/what-if/slurm/{task}/result", name="twin_result")
def twin_result(
    service: CurrentService, viewer: OperatorInPerson, twin: CurrentTwin, task: str
) -> Response:
    """Return the result of a what-if as a JSON file."""
    found = own_twin_task(service, viewer, task)
    if found.state is not State.DONE:
        raise HttpProblem(409, f"the task is {found.state}; it has no result")
    return JSONResponse(
        {"settings": found.parameters, **found.result},
        headers={"content-disposition": f'attachment; filename="what-if-{found.id}.json"'},
    )


def twin_path(request: Request, settings: TwinSettings) -> str:
    """Return the address of these settings."""
    query = [
        *(("set", each) for each in settings.changes),
        *(("add", each) for each in settings.nodes),
        ("phases", settings.phases),
        ("seed", settings.seed),
    ]
    return f"{path_of(request, 'twin')}?{urlencode(query, safe=':,=/')}"


def _settings(
    twin: Twin, changes: list[str], nodes: list[str], phases: str, seed: str
) -> TwinSettings:
    numbers = {"phases": parse_whole(phases, 1), "seed": parse_whole(seed)}
    for name, number in numbers.items():
        if number is None:
            given = {"phases": phases, "seed": seed}[name]
            raise ParameterError(f'{name} is "{given}"; must be a whole number')
    return checked_settings(twin, changes, nodes, numbers["phases"] or 1, numbers["seed"] or 0)


def _pair(change: str) -> tuple[str, str]:
    name, _, value = change.partition("=")
    return name, value


def _form_of(changes: list[str], nodes: list[str], phases: str, seed: str) -> dict[str, Any]:
    return {
        "changed": dict(_pair(each) for each in changes),
        "nodes": " ".join(nodes),
        "phases": phases,
        "seed": seed,
    }


def _page(
    request: Request,
    service: Service,
    viewer: Viewer,
    form: Mapping[str, Any],
    settings: TwinSettings | None = None,
    *,
    fault: str = "",
) -> Response:
    twin = service.settings.twin
    assert twin is not None
    asked = own_twin_tasks(service, viewer)
    same = next((each for each in asked if TwinSettings.of(each.parameters) == settings), None)
    task = None if same is None else own_twin_task(service, viewer, same.id)
    return render(
        request,
        viewer,
        "twin.html",
        status=HTTPStatus.BAD_REQUEST if fault else HTTPStatus.OK,
        form=form,
        groups=twin.groups(),
        most_phases=MOST_PHASES,
        settings=settings,
        task=task,
        recent=[(each, TwinSettings.of(each.parameters)) for each in asked[:_RECENT]],
        link=lambda each: twin_path(request, each),
        zone=zone_of(service),
        fault=fault,
        **_result(task),
    )


def _result(task: QueuedTask | None) -> dict[str, Any]:
    if task is None or task.state is not State.DONE:
        return {"result": None}
    from schedlab.history.web.plots.comparison import waits_figure
    from schedlab.history.web.plots.drawing import drawing

    waits = task.result["waits_s"]
    return {"result": task.result, "waits_figure": drawing(waits_figure(waits), waits_table(waits))}
