"""Results of what-ifs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from schedlab.history.web.pages.what_if import settings_path, waits_table
from schedlab.history.web.planning import PlannerInPerson, own_what_if
from schedlab.history.web.plots.timeline import MOST_LINES
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.render import render
from schedlab.history.web.service import CurrentService
from schedlab.history.web.simulations.what_if import PolicyOutcome, WhatIfComparison, WhatIfSettings
from schedlab.history.web.tasks import State

router = APIRouter(include_in_schema=False)

MOST = 6
"""The largest number of results side by side."""

Tasks = Annotated[list[str], Query(alias="task", max_length=100)]


@dataclass(frozen=True)
class Result:
    """A result of the comparison.

    Args:
        letter: the letter by which the page names it.
        path: the path of its own page.
        settings: what was simulated.
        comparison: the outcomes of the simulations.
    """

    letter: str
    path: str
    settings: WhatIfSettings
    comparison: WhatIfComparison

    def outcome(self, policy: str) -> PolicyOutcome | None:
        """Return the outcome of that policy; None if it was not simulated."""
        return next((each for each in self.comparison.outcomes if each.policy == policy), None)


@router.get("/what-if/compare", name="what_if_compare")
def compare_what_ifs(
    request: Request,
    service: CurrentService,
    viewer: PlannerInPerson,
    tasks: Tasks = [],  # noqa: B006 (FastAPI copies it)
) -> Response:
    """Show the results that the URL names, policy by policy."""
    chosen = [own_what_if(service, viewer, task) for task in dict.fromkeys(tasks)]
    done = [each for each in chosen if each.state is State.DONE][:MOST]
    results = [
        Result(
            letter,
            settings_path(request, settings := WhatIfSettings.of(task.parameters)),
            settings,
            WhatIfComparison.from_result(task.result),
        )
        for letter, task in zip(ascii_uppercase, done, strict=False)
    ]
    return render(
        request,
        viewer,
        "what_if_compare.html",
        results=results,
        policies=list(dict.fromkeys(p for each in results for p in _policies(each))),
        left_out=len(chosen) - len(done),
        most=MOST,
        zone=zone_of(service),
        waits_figure=_waits(results),
    )


def _policies(result: Result) -> list[str]:
    return [each.policy for each in result.comparison.outcomes]


def _waits(results: Sequence[Result]) -> object:
    """Draw the lines of all results, as many as there are colours."""
    from schedlab.history.web.plots.comparison import waits_figure
    from schedlab.history.web.plots.drawing import drawing

    lines = [
        (f"{result.letter}: {outcome.policy}", outcome.waits_s)
        for result in results
        for outcome in result.comparison.outcomes
    ]
    waits = dict(lines[:MOST_LINES])
    return drawing(waits_figure(waits), waits_table(waits)) if waits else None
