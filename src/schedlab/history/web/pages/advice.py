"""Advice on requests: asked for on a user's page, simulated in the background."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from schedlab.history.store import JobQuery
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.current import InPerson
from schedlab.history.web.problems import not_found
from schedlab.history.web.queries.search import count
from schedlab.history.web.render import path_of
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.simulations import ADVICE
from schedlab.history.web.simulations.advice import RATIOS, SimulationAdvice
from schedlab.history.web.simulations.window import Window, version_of
from schedlab.history.web.tasks import QueuedTask, State, TaskRequest
from schedlab.history.web.tasks.queue import recent_tasks, submit
from schedlab.history.web.windows import clusters_of, window_form

router = APIRouter(include_in_schema=False)

_LOOKED_THROUGH = 50


@dataclass(frozen=True)
class AdviceShown:
    """The advice to a user, as a page shows it.

    Args:
        clusters: the clusters that can be asked about.
        task: the last task that the viewer asked for about this user.
        advice: its result.
        window: the window that it simulates.
        ratios: the ratios that were tried.
    """

    clusters: list[str]
    task: QueuedTask | None = None
    advice: SimulationAdvice | None = None
    window: Window | None = None
    ratios: tuple[float, ...] = RATIOS


def advice_of(service: Service, viewer: Viewer, user: str) -> AdviceShown | None:
    """Return the last advice that the viewer asked for on the user; None if they cannot ask."""
    if viewer.user is None or viewer.role is Role.PUBLIC:
        return None
    clusters = clusters_of(service, viewer)
    with service.database.reading() as connection:
        recent = recent_tasks(connection, viewer.user, ADVICE, _LOOKED_THROUGH)
    task = next((each for each in recent if each.parameters["user"] == user), None)
    if task is None:
        return AdviceShown(clusters)
    advice = SimulationAdvice.from_result(task.result) if task.state is State.DONE else None
    return AdviceShown(clusters, task, advice, Window(**task.parameters["window"]))


@router.post("/advice", name="advice")
def ask_advice(
    request: Request,
    service: CurrentService,
    viewer: InPerson,
    user: Annotated[str, Form(max_length=500)],
    cluster: Annotated[str, Form(max_length=500)] = "",
    days: Annotated[int, Form(ge=1, le=366)] = 30,
) -> Response:
    """Have the last days simulated, as they were and with this user's requests cut."""
    form = window_form(service, viewer, cluster=cluster, days=days)
    window = Window(form.cluster, form.from_s, form.to_s)
    with service.database.reading() as connection:
        if not count(connection, viewer, JobQuery(users=(user,)), 1).jobs:
            raise not_found()
        version = version_of(connection, viewer, window)
    asked = TaskRequest(ADVICE, {"user": user, "window": asdict(window)}, viewer, version)
    with service.database.writing() as connection:
        submit(connection, asked)
    service.runner.wake()
    page = path_of(request, "user", user=quote(user))
    return RedirectResponse(f"{page}#advice", HTTPStatus.SEE_OTHER)
