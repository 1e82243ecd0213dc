"""Reports: a week or a month of a user, a group or the site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from schedlab.history.reports_section import PERIODS
from schedlab.history.web.current import InPerson
from schedlab.history.web.render import render
from schedlab.history.web.reports.asked import asked_report
from schedlab.history.web.reports.files import MEDIA_TYPES, as_file
from schedlab.history.web.reports.pdf import browser
from schedlab.history.web.reports.report import report_query
from schedlab.history.web.service import CurrentService

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class AskedReport:
    """The report for which the address asks."""

    period: Literal["week", "month"] = "week"
    date: Annotated[str, Query(max_length=40)] = ""
    user: Annotated[str, Query(max_length=500)] = ""
    group: Annotated[str, Query(max_length=500)] = ""


Asked = Annotated[AskedReport, Depends()]


@router.get("/reports", name="reports")
def reports_page(
    request: Request, service: CurrentService, viewer: InPerson, asked: Asked
) -> Response:
    """Show the report that is asked for, with links to others."""
    report = asked_report(service, viewer, asked.period, asked.date, asked.user, asked.group)
    return render(
        request,
        viewer,
        "reports.html",
        report=report,
        periods=PERIODS,
        here=report_query(report, report.period),
        earlier=report_query(report, report.period.before),
        later=report_query(report, report.period.next),
        has_pdf=browser() is not None,
    )


@router.get("/reports/file", name="report_file")
def report_file(
    service: CurrentService,
    viewer: InPerson,
    asked: Asked,
    format: Literal["html", "pdf"] = "html",
) -> Response:
    """Return the report that is asked for as a file."""
    report = asked_report(service, viewer, asked.period, asked.date, asked.user, asked.group)
    site = service.settings.site
    content = as_file(report, "" if site is None else site.about.name, format)
    name = f"{report.file_name}.{format}".encode("ascii", "replace").decode().replace("?", "-")
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=MEDIA_TYPES[format], headers=headers)
