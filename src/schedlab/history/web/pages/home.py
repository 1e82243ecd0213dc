"""The first page: the latest jobs, those that went wrong, and the way on."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from schedlab.history.alerts.book import count_unacknowledged
from schedlab.history.schema.job import JobState
from schedlab.history.store import JobQuery
from schedlab.history.web.access.viewer import OPERATORS
from schedlab.history.web.pages.jobs import shown_row
from schedlab.history.web.parameters import CurrentAsking
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.calendar import DAY_S
from schedlab.history.web.queries.cluster_use import last_end_s
from schedlab.history.web.queries.listing import list_jobs
from schedlab.history.web.render import render

router = APIRouter(include_in_schema=False)

LATEST = 5
"""The number of jobs in each list."""
WENT_WRONG = (JobState.FAILED, JobState.TIMEOUT, JobState.OUT_OF_MEMORY, JobState.NODE_FAIL)


@router.get("/", name="home")
def home(request: Request, asking: CurrentAsking) -> Response:
    """Show the first page, at the path ``/``."""
    viewer = asking.viewer
    with asking.service.database.reading() as connection:
        week_s = (last_end_s(connection, viewer) or 0) - 7 * DAY_S
        recent = JobQuery(states=WENT_WRONG, queued_from_s=week_s)
        latest, wrong = (
            list_jobs(connection, viewer, query, limit=LATEST).rows
            for query in (JobQuery(), recent)
        )
        alerts = count_unacknowledged(connection) if viewer.role in OPERATORS else 0
    return render(
        request,
        viewer,
        "home.html",
        alerts=alerts,
        wrong_states=WENT_WRONG,
        hides_names=asking.shown.release is not None,
        zone=zone_of(asking.service),
        latest=[shown_row(row, asking.shown) for row in latest],
        wrong=[shown_row(row, asking.shown) for row in wrong],
    )
