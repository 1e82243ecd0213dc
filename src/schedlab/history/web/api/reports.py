"""Reports in the API: the same numbers as on the page, in the file and in the e-mail."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.web.api.answers import ReportAnswer, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.current import NamedViewer
from schedlab.history.web.parameters import Name, Parameters
from schedlab.history.web.reports.asked import asked_report
from schedlab.history.web.service import CurrentService

router = APIRouter(prefix="/v1", tags=["stats"])

Day = Annotated[str, Field(pattern=r"^(19[7-9]\d|2\d{3})-\d\d-\d\d$")]


class ReportParameters(Parameters):
    """The subject and the period of a report."""

    period: Literal["week", "month"] = Field("week", description="From Monday on, or the month.")
    date: Day | None = Field(
        None, description="A day of the period; that on which the last job ended if it is not said."
    )
    user: Name | None = Field(None, description="Of this user.")
    group: Name | None = Field(None, description="Of this accounting group.")


@router.get(
    "/reports",
    response_class=Response,
    responses={200: {"model": ReportAnswer, "description": "A report."}, **refusals(404)},
)
def get_report(
    service: CurrentService, viewer: NamedViewer, parameters: Annotated[ReportParameters, Query()]
) -> Response:
    """Report on jobs that ended in a week or month: waits, use, energy, cost, what would help.

    Without `user` and `group`, it covers the site for roles that see all jobs, the first of their
    groups for managers, and their own jobs for users.
    """
    given = (parameters.date or "", parameters.user or "", parameters.group or "")
    report = asked_report(service, viewer, parameters.period, *given)
    return Response(to_json(report.facts()), media_type=MEDIA_TYPES[Format.JSON])
