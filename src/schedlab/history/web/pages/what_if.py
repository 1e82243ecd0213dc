"""What if the cluster had had another policy?

The address of the page holds the settings: all who may ask what if can open it. It shows the
result if the viewer has had these settings simulated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from schedlab.errors import ParameterError, PolicyError, UnknownNameError
from schedlab.history.web.access import Viewer
from schedlab.history.web.access.viewer import OPERATORS
from schedlab.history.web.api.what_if import PICTURES, SCHEDULE_FORMATS
from schedlab.history.web.pages.policy_picker import (
    COMMON,
    CONTROLS,
    ORDER_GROUPS,
    Picked,
    picked_of,
)
from schedlab.history.web.planning import PlannerInPerson, ask_what_if, own_what_if, own_what_ifs
from schedlab.history.web.render import path_of, render
from schedlab.history.web.service import CurrentService, Service
from schedlab.history.web.simulations.policy_names import EVOLVED, MOST_POLICIES, check_policies
from schedlab.history.web.simulations.what_if import WhatIfComparison, WhatIfSettings
from schedlab.history.web.simulations.window import MOST_JOBS, Window
from schedlab.history.web.tasks import QueuedTask, State
from schedlab.history.web.windows import WindowForm, window_form
from schedlab.policies import BACKFILLS, ORDERS

router = APIRouter(include_in_schema=False)

USUAL = ("easy", "sjf+easy")
_RECENT = 10
_BETWEEN_NAMES = re.compile(r"\s+|,(?!\w+=)")
_REFUSED = (ParameterError, PolicyError, UnknownNameError)


@dataclass(frozen=True)
class WhatIfForm:
    """A filled-in form: a window, policies, and whether jobs have whole nodes."""

    window: WindowForm
    picked: Picked
    whole_nodes: bool = False

    def settings(self) -> WhatIfSettings:
        """Return the settings that the form asks for, after checking them."""
        window = self.window
        return WhatIfSettings(
            window=Window(window.cluster, window.from_s, window.to_s),
            policies=tuple(self.picked.policies()),
            whole_nodes=self.whole_nodes,
        )


@router.get("/what-if", name="what_if")
def what_if_page(
    request: Request,
    service: CurrentService,
    viewer: PlannerInPerson,
    cluster: str = "",
    begin: Annotated[str, Query(alias="from")] = "",
    end: Annotated[str, Query(alias="to")] = "",
    policy: Annotated[list[str], Query(max_length=100)] = [],  # noqa: B006 (FastAPI copies it)
    nodes: str = "",
) -> Response:
    """Show the form, the result of these settings, and earlier what-ifs."""
    form = WhatIfForm(window_form(service, viewer), picked_of(USUAL), nodes == "whole")
    try:
        window = window_form(service, viewer, cluster=cluster, begin=begin, end=end)
        form = replace(form, window=window)
        if not policy:
            return _page(request, service, viewer, form)
        form = replace(form, picked=picked_of(check_policies(policy)))
        settings = form.settings()
    except _REFUSED as error:
        return _page(request, service, viewer, form, fault=str(error))
    return _page(request, service, viewer, form, settings)


async def _posted(request: Request) -> dict[str, list[str]]:
    form = await request.form()
    return {key: [str(each) for each in form.getlist(key)] for key in form}


Posted = Annotated[dict[str, list[str]], Depends(_posted)]


@router.post("/what-if", name="what_if_ask")
def what_if_ask(
    request: Request, service: CurrentService, viewer: PlannerInPerson, posted: Posted
) -> Response:
    """Have the window simulated under these policies, and go to the page of the settings."""

    def first(name: str) -> str:
        return next(iter(posted.get(name, ())), "")

    picked = Picked(
        tuple(posted.get("order", ())),
        tuple(posted.get("backfilling", ())),
        tuple(posted.get("evolved", ())),
        {key: first(key).strip() for key in CONTROLS if first(key).strip()},
        tuple(filter(None, _BETWEEN_NAMES.split(first("policies")))),
    )
    form = WhatIfForm(window_form(service, viewer), picked, first("nodes") == "whole")
    try:
        window = window_form(
            service, viewer, cluster=first("cluster"), begin=first("from"), end=first("to")
        )
        form = replace(form, window=window)
        settings = form.settings()
        ask_what_if(service, viewer, settings)
    except _REFUSED as error:
        return _page(request, service, viewer, form, fault=str(error))
    return RedirectResponse(settings_path(request, settings), HTTPStatus.SEE_OTHER)


def settings_path(request: Request, settings: WhatIfSettings) -> str:
    """Return the address of these settings; times are UTC, so that they mean the same anywhere."""
    window = settings.window
    query = [
        ("cluster", window.cluster),
        ("from", _utc(window.from_s)),
        ("to", _utc(window.to_s)),
        *(("policy", policy) for policy in settings.policies),
        *([("nodes", "whole")] if settings.whole_nodes else []),
    ]
    return f"{path_of(request, 'what_if')}?{urlencode(query, safe=':,=')}"


def _utc(epoch_s: int) -> str:
    return f"{datetime.fromtimestamp(epoch_s, UTC):%Y-%m-%dT%H:%M:%S}Z"


def _page(
    request: Request,
    service: Service,
    viewer: Viewer,
    form: WhatIfForm,
    settings: WhatIfSettings | None = None,
    *,
    fault: str = "",
) -> Response:
    asked = own_what_ifs(service, viewer)
    same = next((each for each in asked if WhatIfSettings.of(each.parameters) == settings), None)
    task = None if same is None else own_what_if(service, viewer, same.id)
    recent = [(each, WhatIfSettings.of(each.parameters)) for each in asked[:_RECENT]]
    return render(
        request,
        viewer,
        "what_if.html",
        status=HTTPStatus.BAD_REQUEST if fault else HTTPStatus.OK,
        form=form.window,
        picked=form.picked,
        whole_nodes=form.whole_nodes,
        orders=ORDERS,
        order_groups=ORDER_GROUPS,
        backfills=BACKFILLS,
        evolved=EVOLVED,
        controls=CONTROLS,
        common=COMMON,
        most_policies=MOST_POLICIES,
        most_jobs=MOST_JOBS,
        settings=settings,
        task=task,
        recent=recent,
        link=lambda each: settings_path(request, each),
        schedule_formats=SCHEDULE_FORMATS,
        pictures=PICTURES,
        fault=fault,
        has_twin=service.settings.twin is not None and viewer.role in OPERATORS,
        **_result(form.window, task),
    )


def _result(form: WindowForm, task: QueuedTask | None) -> dict[str, Any]:
    if task is None or task.state is not State.DONE:
        return {"comparison": None}
    comparison = WhatIfComparison.from_result(task.result)
    return {"comparison": comparison, **_figures(form, comparison)}


def _figures(form: WindowForm, comparison: WhatIfComparison) -> dict[str, Any]:
    from schedlab.history.web.plots.comparison import used_figure, waits_figure
    from schedlab.history.web.plots.drawing import drawing, over_time

    waits = {each.policy: each.waits_s for each in comparison.outcomes}
    used = {each.policy: each.used_nodes for each in comparison.outcomes}
    parts = len(comparison.outcomes[0].used_nodes)
    edge_s = np.linspace(form.from_s, form.to_s, parts + 1) + form.shift_s
    means = {name: np.asarray(each) for name, each in used.items()}
    return {
        "waits_figure": drawing(waits_figure(waits), waits_table(waits)),
        "used_figure": drawing(
            used_figure(edge_s, used, comparison.nodes), over_time(edge_s, means)
        ),
    }


def waits_table(waits_s: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return the table behind a figure of waits: the waits that shares of jobs did not exceed."""
    from schedlab.history.web.plots.comparison import wait_unit

    unit_s, unit = wait_unit(waits_s)
    shares = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
    return {
        "Share of jobs": [f"{100 * share:g} %" for share in shares],
        **{
            f"{name} ({unit})": np.interp(shares, np.linspace(0, 1, len(each)), each) / unit_s
            for name, each in waits_s.items()
        },
    }
