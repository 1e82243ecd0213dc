"""The loop that steers the site's Slurm: where it is, what it did, and the human's answers."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import RedirectResponse, Response

from schedlab.errors import SchedlabError
from schedlab.history.web.access import Viewer
from schedlab.history.web.loop import SiteLoop
from schedlab.history.web.pages.admin import AdministratorInPerson
from schedlab.history.web.pages.quantities import zone_of
from schedlab.history.web.pages.render import path_of, render
from schedlab.history.web.problems import Problem
from schedlab.history.web.service import CurrentService, Service

router = APIRouter(prefix="/operate", include_in_schema=False)
_SHOWN = 200
"""Steps of the loop; the log has all."""


def _loop(service: CurrentService, viewer: AdministratorInPerson) -> SiteLoop:
    if service.settings.loop is None:
        raise Problem(404, "the site has no loop; its file names no site folder in [slurm]")
    return service.settings.loop


CurrentLoop = Annotated[SiteLoop, Depends(_loop)]


@router.get("", name="operate")
def operate_page(
    request: Request, service: CurrentService, viewer: AdministratorInPerson, loop: CurrentLoop
) -> Response:
    """Show the state, the effect, and the steps."""
    return _page(request, service, viewer, loop)


@router.post("/answer", name="operate_answer")
def answer(
    request: Request,
    service: CurrentService,
    viewer: AdministratorInPerson,
    loop: CurrentLoop,
    says: Annotated[str, Form(max_length=10)],
    code: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Answer the loop's question; it takes a yes or a no whose code is right."""
    if says not in ("yes", "no"):
        raise Problem(400, f'the answer is "{says}"; must be yes or no')
    who = viewer.user or "somebody"
    return _left(
        request,
        service,
        viewer,
        loop,
        "answer",
        lambda: loop.answer(says == "yes", who, code.strip()),
    )


@router.post("/stop", name="operate_stop")
def stop(
    request: Request, service: CurrentService, viewer: AdministratorInPerson, loop: CurrentLoop
) -> Response:
    """End the steering; no code is needed to be careful."""
    who = viewer.user or "somebody"
    return _left(request, service, viewer, loop, "stop", lambda: loop.stop(who))


def _left(
    request: Request,
    service: Service,
    viewer: Viewer,
    loop: SiteLoop,
    said: str,
    leave: Callable[[], None],
) -> Response:
    """Back to the page, after the message is left; if it cannot be, the page says why."""
    try:
        leave()
    except SchedlabError as error:
        return _page(request, service, viewer, loop, fault=str(error))
    return RedirectResponse(f"{path_of(request, 'operate')}?said={said}", HTTPStatus.SEE_OTHER)


def _page(
    request: Request, service: Service, viewer: Viewer, loop: SiteLoop, *, fault: str = ""
) -> Response:
    try:
        state = loop.state()
    except SchedlabError as error:
        state, fault = None, fault or str(error)
    return render(
        request,
        viewer,
        "operate.html",
        status=HTTPStatus.BAD_REQUEST if fault else HTTPStatus.OK,
        state=state,
        steps=list(state.steps)[:_SHOWN] if state else [],
        said=request.query_params.get("said", ""),
        fault=fault,
        zone=zone_of(service),
    )
