"""The progress of a simulation, and how a user cancels it."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from schedlab.history.web.current import InPerson
from schedlab.history.web.pages.twin import twin_path
from schedlab.history.web.pages.what_if import settings_path
from schedlab.history.web.problems import not_found
from schedlab.history.web.render import path_of
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.simulations import ADVICE, STATUS, TWIN
from schedlab.history.web.simulations.what_if import WhatIfSettings
from schedlab.history.web.tasks import QueuedTask
from schedlab.history.web.tasks.queue import cancel, find_task
from schedlab.history.web.twin import TwinSettings

router = APIRouter(include_in_schema=False)


@router.get("/tasks/{task}", name="task")
def task_state(service: CurrentService, viewer: InPerson, task: str) -> Response:
    """Return a task's state to the script of a page that waits; tasks of others are not found."""
    found = require_task(service, viewer.user, task)
    return JSONResponse(
        {"state": found.state, "progress": found.progress, "is_finished": found.is_finished}
    )


@router.post("/tasks/{task}/cancel", name="task_cancel")
def cancel_task(request: Request, service: CurrentService, viewer: InPerson, task: str) -> Response:
    """Cancel a task, and go back to the page where it was asked for."""
    found = require_task(service, viewer.user, task)
    with service.database.writing() as connection:
        cancel(connection, found.id, viewer.user)
    return RedirectResponse(_place(request, found), 303)


def require_task(service: Service, account: str | None, task: str) -> QueuedTask:
    """Return the task, if this account asked for it."""
    with service.database.reading() as connection:
        found = find_task(connection, task, account)
    if found is None:
        raise not_found()
    return found


def _place(request: Request, task: QueuedTask) -> str:
    if task.kind == ADVICE:
        return f"{path_of(request, 'user', user=quote(task.parameters['user']))}#advice"
    if task.kind == STATUS:
        return path_of(request, "admin")
    if task.kind == TWIN:
        return twin_path(request, TwinSettings.of(task.parameters))
    return settings_path(request, WhatIfSettings.of(task.parameters))
