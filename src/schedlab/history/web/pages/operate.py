"""The loop that steers the site's Slurm: its state, what it did, and people's answers to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import RedirectResponse, Response

from schedlab.errors import SchedlabError
from schedlab.history.web.access import Viewer
from schedlab.history.web.loop import LoopEffect, LoopState, SiteLoop
from schedlab.history.web.pages.admin import AdministratorInPerson
from schedlab.history.web.problems import HttpProblem
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.render import path_of, render
from schedlab.history.web.service import CurrentService, Service

if TYPE_CHECKING:
    from schedlab.history.web.plots.drawing import Drawing

router = APIRouter(prefix="/operate", include_in_schema=False)
_SHOWN = 200
"""The number of steps, and of effects in the figure, that are shown; the log has all."""
_SHORT = {"tested": "test", "shadowed": "shadow", "watched": "steered"}
"""The words of the legend: on a phone there is room for one word each."""
_FOUND_BY = {
    "tested": "in the test, by the twin",
    "shadowed": "of a shadow's changes, by the twin",
    "watched": "while it steered",
}


def _loop(service: CurrentService, viewer: AdministratorInPerson) -> SiteLoop:
    if service.settings.loop is None:
        raise HttpProblem(404, "the site has no loop; its file names no site folder in [slurm]")
    return service.settings.loop


CurrentLoop = Annotated[SiteLoop, Depends(_loop)]


@router.get("", name="operate")
def operate_page(
    request: Request, service: CurrentService, viewer: AdministratorInPerson, loop: CurrentLoop
) -> Response:
    """Show the state, the effects and the steps of the loop."""
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
    """Answer the loop's question; the loop accepts a yes or a no with the right code."""
    if says not in ("yes", "no"):
        raise HttpProblem(400, f'the answer is "{says}"; must be yes or no')
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
    """End the steering; this needs no code, since it is the careful choice."""
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
    """Leave a message for the loop and go back to the page; if that fails, the page says why."""
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
        effects=_effects(state, zone_of(service)) if state and state.effects else None,
        said=request.query_params.get("said", ""),
        fault=fault,
        zone=zone_of(service),
    )


def _effects(state: LoopState, zone: tzinfo) -> Drawing:
    """Return the effects as points with their intervals, and the table behind them."""
    from schedlab.history.web.plots.drawing import drawing

    some = list(state.effects)[-_SHOWN:]
    columns: dict[str, list[Any]] = {
        "When": [f"{datetime.fromtimestamp(each.at, zone):%Y-%m-%d %H:%M}" for each in some],
        "Round": [str(each.round) for each in some],
        "Found": [_FOUND_BY.get(each.name, each.name) for each in some],
        "Policy": [each.policy for each in some],
        "Change of the mean wait": [f"{each.change:+.1%}" for each in some],
        "95 %": [
            f"{each.interval[0]:+.1%} to {each.interval[1]:+.1%}" if each.interval else None
            for each in some
        ],
    }
    return drawing(_figure(some, columns), columns)


def _figure(effects: Sequence[LoopEffect], columns: dict[str, list[Any]]) -> Any:
    """Draw the effects in order at equal distances: they may lie minutes or weeks apart in time."""
    from bokeh.models import FixedTicker, HoverTool, NoOverlap, NumeralTickFormatter

    from schedlab.history.web.plots.timeline import COLOURS
    from schedlab.viz.report.style import legend_above, new_figure

    ends = [end for each in effects for end in (each.change, *(each.interval or ()))]
    low, high = min(0.0, *ends), max(0.0, *ends)
    margin = 0.06 * max(high - low, 0.01)
    plot = new_figure(
        220,
        along="width",
        y_axis_label="change of the mean wait",
        y_range=(low - margin, high + margin),
        x_range=(-0.6, max(len(effects), 6) - 0.4),
    )
    plot.hspan(y=0, line_color="#888888", line_dash="dashed")
    for colour, name in zip(COLOURS, _FOUND_BY, strict=False):
        places = [place for place, each in enumerate(effects) if each.name == name]
        if not places:
            continue
        source = {
            "x": places,
            "y": [effects[place].change for place in places],
            "low": [
                (effects[place].interval or (effects[place].change,) * 2)[0] for place in places
            ],
            "high": [
                (effects[place].interval or (effects[place].change,) * 2)[1] for place in places
            ],
            **{
                f"c{at}": [cells[place] or "not known" for place in places]
                for at, cells in enumerate(columns.values())
            },
        }
        look = {"source": source, "color": colour, "legend_label": _SHORT[name]}
        plot.segment("x", "low", "x", "high", line_width=2, **look)
        points = plot.scatter("x", "y", size=8, **look)
        about = [(label, f"@c{at}") for at, label in enumerate(columns)]
        plot.add_tools(HoverTool(tooltips=about, renderers=[points], visible=False))
    every = -(-len(effects) // 10)
    plot.xaxis.ticker = FixedTicker(ticks=list(range(0, len(effects), every)))
    plot.xaxis.major_label_overrides = dict(enumerate(columns["When"]))
    plot.xaxis.major_label_policy = NoOverlap(min_distance=8)
    plot.yaxis.formatter = NumeralTickFormatter(format="+0%")
    plot.xgrid.grid_line_color = None
    plot.min_border_left = 64
    plot.toolbar.autohide = True
    legend_above(plot)
    plot.legend.spacing = 8
    return plot
