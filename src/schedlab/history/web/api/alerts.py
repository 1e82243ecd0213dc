"""The alerts of the site."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.alerts.book import Noted, current_alerts, past_alerts
from schedlab.history.web.api.answers import AlertsAnswer, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.current import MetricsReader
from schedlab.history.web.service import CurrentService

router = APIRouter(prefix="/v1", tags=["site"])


@router.get(
    "/alerts",
    response_class=Response,
    responses={200: {"model": AlertsAnswer, "description": "Alerts."}, **refusals()},
)
def get_alerts(service: CurrentService, viewer: MetricsReader) -> Response:
    """Return the alerts that hold, and the last 50 of those that are over.

    It needs the scope `metrics`.
    """
    with service.database.reading() as connection:
        current, past = current_alerts(connection), past_alerts(connection)
    content = {"current": [_shown(each) for each in current], "past": [_shown(e) for e in past]}
    return Response(to_json(content), media_type=MEDIA_TYPES[Format.JSON])


def _shown(alert: Noted) -> dict[str, Any]:
    names = ("id", "kind", "subject", "began_s", "ended_s", "acknowledged_by", "acknowledged_s")
    return {"text": alert.says, **{name: getattr(alert, name) for name in names}}
