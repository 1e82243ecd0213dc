"""What jobs held and did not use: wasteful jobs and users, and idle GPUs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.history.efficiency.waste import WastedJob, by_user, summed
from schedlab.history.efficiency_section import Level
from schedlab.history.web.current import InPerson
from schedlab.history.web.queries.largest import MOST_JOBS, largest_jobs
from schedlab.history.web.render import render
from schedlab.history.web.service import CurrentService
from schedlab.history.web.windows import AskedMonth

router = APIRouter(include_in_schema=False)

SHOWN = 20
_LEAST_IDLE = 0.05
"""The smallest idle share of a job's node-hours that is reported."""


@router.get("/efficiency", name="efficiency")
def efficiency_page(
    request: Request, service: CurrentService, viewer: InPerson, form: AskedMonth
) -> Response:
    """Show the jobs that ended in a window, those that wasted most first."""
    site = service.settings.site
    with service.database.reading() as connection:
        jobs = largest_jobs(connection, viewer, site, form.from_s, form.to_s)
    return render(
        request,
        viewer,
        "efficiency.html",
        form=form,
        total=summed(jobs),
        jobs=_worst(jobs),
        users=by_user(jobs)[:SHOWN],
        idle=_with_idle_gpus(jobs),
        most=MOST_JOBS,
    )


def _worst(jobs: list[WastedJob]) -> list[WastedJob]:
    """Return the jobs that used something poorly, those with most idle node-hours first."""
    poor = [
        each
        for each in jobs
        if any(use.level is Level.POOR for use in each.efficiency.uses)
        and (each.waste.idle_share or 0.0) >= _LEAST_IDLE
    ]
    return sorted(poor, key=lambda each: -each.waste.idle_node_h)[:SHOWN]


def _with_idle_gpus(jobs: list[WastedJob]) -> list[WastedJob]:
    """Return the jobs that held idle GPUs, those with most idle GPU-hours first."""
    idle = [each for each in jobs if each.idle_gpus]
    return sorted(idle, key=lambda each: -each.waste.idle_gpu_h)[:SHOWN]
