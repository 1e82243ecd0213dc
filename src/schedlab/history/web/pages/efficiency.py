"""What was held and not used: wasteful jobs and users, and idle GPUs."""

from __future__ import annotations

from collections import defaultdict

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.history.efficiency.section import Level
from schedlab.history.efficiency.waste import Waste, WastedJob, summed, wasted
from schedlab.history.schema.job import JobRecord
from schedlab.history.web.access.current import InPerson
from schedlab.history.web.pages.render import render
from schedlab.history.web.pages.windows import AskedMonth
from schedlab.history.web.queries.largest import MOST_JOBS, largest_jobs
from schedlab.history.web.service import CurrentService

router = APIRouter(include_in_schema=False)

SHOWN = 20
_LEAST_IDLE = 0.05
"""Of a job's node-hours: below, nobody is told of it."""


@router.get("/efficiency", name="efficiency")
def efficiency_page(
    request: Request, service: CurrentService, viewer: InPerson, form: AskedMonth
) -> Response:
    """The jobs that ended in a time, those that wasted most first."""
    site = service.settings.site
    with service.database.reading() as connection:
        found = largest_jobs(connection, viewer, form.from_s, form.to_s)
    records = ((each.key, JobRecord.model_validate_json(each.document)) for each in found)
    jobs = [job for key, record in records if (job := wasted(key, record, site)) is not None]
    return render(
        request,
        viewer,
        "efficiency.html",
        form=form,
        total=summed(jobs),
        jobs=_worst(jobs),
        users=_users(jobs),
        idle=_with_idle_gpus(jobs),
        looked_at=len(found),
        most=MOST_JOBS,
    )


def _worst(jobs: list[WastedJob]) -> list[WastedJob]:
    """Those of which something was used poorly, by what they left idle."""
    poor = [
        each
        for each in jobs
        if any(use.level is Level.POOR for use in each.efficiency.uses)
        and (each.waste.idle_share or 0.0) >= _LEAST_IDLE
    ]
    return sorted(poor, key=lambda each: -each.waste.idle_node_h)[:SHOWN]


def _users(jobs: list[WastedJob]) -> list[tuple[str, Waste]]:
    """Each user's sums; those who left most idle first."""
    of_each: defaultdict[str, list[WastedJob]] = defaultdict(list)
    for each in jobs:
        if each.record.user_identifier:
            of_each[each.record.user_identifier].append(each)
    sums = ((user, summed(those)) for user, those in of_each.items())
    return sorted(sums, key=lambda each: -each[1].idle_node_h)[:SHOWN]


def _with_idle_gpus(jobs: list[WastedJob]) -> list[WastedJob]:
    """Those that held GPUs which did nothing; the longest first."""
    idle = [each for each in jobs if each.idle_gpus]
    return sorted(idle, key=lambda each: -each.waste.idle_gpu_h)[:SHOWN]
