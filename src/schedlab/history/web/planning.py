"""What-if requests: who may make them, and how their answers are found.

Simulations take the service's time, so only those with an overview may ask for them: managers,
support and administrators.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from schedlab.history.web.access import Viewer
from schedlab.history.web.access.viewer import OPERATORS, PLANNERS
from schedlab.history.web.current import InPerson, NamedViewer
from schedlab.history.web.problems import HttpProblem, not_found
from schedlab.history.web.service import Service
from schedlab.history.web.simulations import TWIN, WHAT_IF
from schedlab.history.web.simulations.what_if import WhatIfSettings
from schedlab.history.web.simulations.window import version_of
from schedlab.history.web.tasks import QueuedTask, TaskRequest
from schedlab.history.web.tasks.queue import KEPT, find_task, recent_tasks, submit
from schedlab.history.web.tasks.task import viewer_document
from schedlab.history.web.twin import Twin, TwinSettings


def _planner(viewer: NamedViewer) -> Viewer:
    if viewer.role not in PLANNERS:
        raise HttpProblem(403, "only managers, support and administrators may ask what if")
    return viewer


def _planner_in_person(viewer: InPerson) -> Viewer:
    return _planner(viewer)


Planner = Annotated[Viewer, Depends(_planner)]
"""A planner, in person or by a token of their own."""
PlannerInPerson = Annotated[Viewer, Depends(_planner_in_person)]


def _operator(viewer: NamedViewer) -> Viewer:
    if viewer.role not in OPERATORS:
        raise HttpProblem(
            403, "only support and administrators may ask the twin: it shows all jobs"
        )
    return viewer


def _operator_in_person(viewer: InPerson) -> Viewer:
    return _operator(viewer)


Operator = Annotated[Viewer, Depends(_operator)]
"""An operator, in person or by a token of their own."""
OperatorInPerson = Annotated[Viewer, Depends(_operator_in_person)]


def twin_of(service: Service) -> Twin:
    """Return the twin of the site's Slurm; a site without one has no such page."""
    if service.settings.twin is None:
        raise HttpProblem(404, "the site has no twin of its Slurm; its file names none in [slurm]")
    return service.settings.twin


def ask_what_if(service: Service, viewer: Viewer, settings: WhatIfSettings) -> str:
    """Return the id of the task that simulates this: a new task, unless one exists already."""
    with service.database.reading() as connection:
        version = version_of(connection, viewer, settings.window)
    return _submit(service, TaskRequest(WHAT_IF, settings.parameters(), viewer, version))


def ask_twin(service: Service, viewer: Viewer, twin: Twin, settings: TwinSettings) -> str:
    """Return the id of the task that replays this: a new task, unless one exists already."""
    return _submit(service, TaskRequest(TWIN, settings.parameters(), viewer, twin.version()))


def _submit(service: Service, asked: TaskRequest) -> str:
    with service.database.writing() as connection:
        task = submit(connection, asked)
    service.runner.wake()
    return task


def own_what_if(service: Service, viewer: Viewer, task: str) -> QueuedTask:
    """Return the what-if with this id, if the viewer asked for it and still sees the same jobs."""
    return _own(service, viewer, task, WHAT_IF)


def own_what_ifs(service: Service, viewer: Viewer) -> list[QueuedTask]:
    """Return all what-ifs that the viewer asked for, without results, the newest first."""
    return _all_own(service, viewer, WHAT_IF)


def own_twin_task(service: Service, viewer: Viewer, task: str) -> QueuedTask:
    """Return the twin's what-if with this id, as ``own_what_if`` does."""
    return _own(service, viewer, task, TWIN)


def own_twin_tasks(service: Service, viewer: Viewer) -> list[QueuedTask]:
    """Return all what-ifs that the viewer asked the twin, without results, the newest first."""
    return _all_own(service, viewer, TWIN)


def _own(service: Service, viewer: Viewer, task: str, kind: str) -> QueuedTask:
    with service.database.reading() as connection:
        found = find_task(connection, task, viewer.user)
    if found is None or found.kind != kind or not _sees_the_same(viewer, found):
        raise not_found()
    return found


def _all_own(service: Service, viewer: Viewer, kind: str) -> list[QueuedTask]:
    with service.database.reading() as connection:
        found = recent_tasks(connection, viewer.user, kind, KEPT, with_results=False)
    return [each for each in found if _sees_the_same(viewer, each)]


def _sees_the_same(viewer: Viewer, task: QueuedTask) -> bool:
    """Return whether the viewer may see the same jobs as when they asked."""
    return viewer_document(viewer) == viewer_document(task.viewer)
