"""What if the cluster had had another policy?

Everybody's jobs are simulated: a queue without the others' jobs would be no queue. The figures are
about jobs that who asks may see, and about how busy the cluster was. Simulations take the service's
time, so that those with an overview may ask for them: managers, support and administrators.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from http import HTTPStatus
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import RedirectResponse, Response

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.web.access import Viewer
from schedlab.history.web.access.current import InPerson
from schedlab.history.web.access.viewer import PLANNERS
from schedlab.history.web.pages.render import path_of, render
from schedlab.history.web.pages.tasks import require_task
from schedlab.history.web.pages.windows import WindowForm, window_form
from schedlab.history.web.problems import Problem
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.simulations import WHAT_IF
from schedlab.history.web.simulations.what_if import MOST_POLICIES, Comparison, check_policies
from schedlab.history.web.simulations.window import MOST_JOBS, Window, version_of
from schedlab.history.web.tasks import Asked, State, Task
from schedlab.history.web.tasks.queue import recent_tasks, submit
from schedlab.policies import POLICIES

router = APIRouter(include_in_schema=False)

USUAL = ("easy", "sjf+easy")
_RECENT = 10


def _planner(viewer: InPerson) -> Viewer:
    if viewer.role not in PLANNERS:
        raise Problem(403, "only managers, support and administrators may ask what if")
    return viewer


Planner = Annotated[Viewer, Depends(_planner)]


@router.get("/what-if", name="what_if")
def what_if_page(request: Request, service: CurrentService, viewer: Planner) -> Response:
    """The form, and what was asked before."""
    return _page(request, service, viewer, window_form(service, viewer))


@router.post("/what-if", name="what_if_ask")
def ask_what_if(
    request: Request,
    service: CurrentService,
    viewer: Planner,
    policies: Annotated[str, Form(max_length=1_000)],
    cluster: Annotated[str, Form(max_length=500)] = "",
    begin: Annotated[str, Form(alias="from", max_length=40)] = "",
    end: Annotated[str, Form(alias="to", max_length=40)] = "",
) -> Response:
    """Have the window simulated under these policies, and show how far that is."""
    form = window_form(service, viewer)
    try:
        form = window_form(service, viewer, cluster=cluster, begin=begin, end=end)
        chosen = check_policies(policies.replace(",", " ").split())
        task = _submitted(service, viewer, Window(form.cluster, form.from_s, form.to_s), chosen)
    except (ParameterError, UnknownNameError) as error:
        return _page(request, service, viewer, form, policies=policies, fault=str(error))
    return RedirectResponse(path_of(request, "what_if_result", task=task), HTTPStatus.SEE_OTHER)


@router.get("/what-if/{task}", name="what_if_result")
def what_if_result(
    request: Request, service: CurrentService, viewer: Planner, task: str
) -> Response:
    """What came of it, or how far it is."""
    found = require_task(service, viewer.user, task)
    window = Window(**found.parameters["window"])
    form = window_form(service, viewer)
    form = replace(form, cluster=window.cluster, from_s=window.from_s, to_s=window.to_s)
    policies = " ".join(found.parameters["policies"])
    return _page(request, service, viewer, form, policies=policies, task=found)


def _submitted(service: Service, viewer: Viewer, window: Window, policies: list[str]) -> str:
    with service.database.reading() as connection:
        version = version_of(connection, viewer, window)
    parameters = {"window": asdict(window), "policies": policies}
    with service.database.writing() as connection:
        task = submit(connection, Asked(WHAT_IF, parameters, viewer, version))
    service.runner.wake()
    return task


def _page(
    request: Request,
    service: Service,
    viewer: Viewer,
    form: WindowForm,
    *,
    policies: str = " ".join(USUAL),
    task: Task | None = None,
    fault: str = "",
) -> Response:
    with service.database.reading() as connection:
        recent = recent_tasks(connection, viewer.user, WHAT_IF, _RECENT)
    is_done = task is not None and task.state is State.DONE
    comparison = Comparison.from_result(task.result) if task is not None and is_done else None
    return render(
        request,
        viewer,
        "what_if.html",
        status=HTTPStatus.BAD_REQUEST if fault else HTTPStatus.OK,
        form=form,
        policies=policies,
        known=list(POLICIES),
        most_policies=MOST_POLICIES,
        most_jobs=MOST_JOBS,
        task=task,
        recent=recent,
        fault=fault,
        comparison=comparison,
        **({} if comparison is None else _figures(form, comparison)),
    )


def _figures(form: WindowForm, comparison: Comparison) -> dict[str, Any]:
    from schedlab.history.web.plots.comparison import used_figure, waits_figure
    from schedlab.history.web.plots.drawing import drawing, over_time

    waits = {each.policy: each.waits_s for each in comparison.outcomes}
    used = {each.policy: each.used_nodes for each in comparison.outcomes}
    parts = len(comparison.outcomes[0].used_nodes)
    edge_s = np.linspace(form.from_s, form.to_s, parts + 1) + form.shift_s
    shares = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
    at_most: dict[str, Any] = {
        f"{name} (h)": np.interp(shares, np.linspace(0, 1, len(each)), each) / 3600
        for name, each in waits.items()
    }
    of_jobs: dict[str, Any] = {"Share of jobs": [f"{100 * share:g} %" for share in shares]}
    means = {name: np.asarray(each) for name, each in used.items()}
    return {
        "waits_figure": drawing(waits_figure(waits), {**of_jobs, **at_most}),
        "used_figure": drawing(
            used_figure(edge_s, used, comparison.nodes), over_time(edge_s, means)
        ),
    }
