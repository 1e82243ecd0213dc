"""The page of alerts: what is wrong, who was notified, and who acknowledged it."""

from __future__ import annotations

import time
from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from schedlab.history.alerts.book import acknowledge, current_alerts, past_alerts
from schedlab.history.alerts_section import AlertsSection
from schedlab.history.web.current import OperatorInPerson
from schedlab.history.web.problems import not_found
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.render import path_of, render
from schedlab.history.web.service import CurrentService

router = APIRouter(include_in_schema=False)


@router.get("/alerts", name="alerts")
def alerts_page(request: Request, service: CurrentService, viewer: OperatorInPerson) -> Response:
    """Show the alerts that hold, the last of those that are over, and what is watched."""
    with service.database.reading() as connection:
        current, past = current_alerts(connection), past_alerts(connection)
    section = service.settings.service.alerts
    return render(
        request,
        viewer,
        "alerts.html",
        current=current,
        past=past,
        section=section,
        watched=[] if section is None else _watched(section),
        zone=zone_of(service),
    )


@router.post("/alerts/{alert}/acknowledge", name="alert_acknowledge")
def acknowledge_alert(
    request: Request, service: CurrentService, viewer: OperatorInPerson, alert: str
) -> Response:
    """Acknowledge an alert: no more messages are sent about it."""
    with service.database.writing() as connection:
        if not acknowledge(connection, alert, viewer.user or "", time.time()):
            raise not_found()
    return RedirectResponse(path_of(request, "alerts"), HTTPStatus.SEE_OTHER)


def _watched(section: AlertsSection) -> list[tuple[str, str]]:
    """Return each kind that is watched, and when it becomes an alert."""
    rules = {
        "source-lag": f"no job of a source has ended for {section.source_lag_h:g} h",
        "coverage": f"coverage is below {100 * section.coverage:.0f} % of what it was in the week "
        "before",
        "idle-gpu": f"a GPU of a running job is idle for {section.idle_gpu_h:g} h",
        "queue": f"{section.queue_least:,} jobs or more wait, and {section.queue_factor:g} times "
        "as many as did in 95 % of the hours of the last four weeks",
    }
    return [(kind, rules[kind]) for kind in section.watched]
