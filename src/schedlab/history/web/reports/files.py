"""A report as a file, and as a message."""

from __future__ import annotations

from schedlab.history.notify.mail import Attachment, MailMessage
from schedlab.history.web.render import written
from schedlab.history.web.reports.pdf import browser, to_pdf
from schedlab.history.web.reports.report import PeriodReport

MEDIA_TYPES = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}


def as_html(
    report: PeriodReport, site: str, url: str | None = None, stop_url: str | None = None
) -> str:
    """Return the report as one HTML file that needs no others.

    Args:
        report: the report.
        site: the name of the site.
        url: the URL of the page with the same report.
        stop_url: where its receivers can stop the messages.
    """
    return written("report_file.html", report=report, site=site, url=url, stop_url=stop_url)


def as_file(report: PeriodReport, site: str, format: str, url: str | None = None) -> bytes:
    """Return the report as a file in that format."""
    html = as_html(report, site, url)
    return to_pdf(html) if format == "pdf" else html.encode()


def as_message(
    report: PeriodReport,
    site: str,
    *,
    url: str | None = None,
    stop_url: str | None = None,
    with_pdf: bool = False,
) -> MailMessage:
    """Return the report as a message, with a PDF if one is wanted and can be printed."""
    html = as_html(report, site, url, stop_url)
    text = written("report.txt", report=report, url=url, stop_url=stop_url)
    files: tuple[Attachment, ...] = ()
    if with_pdf and browser() is not None:
        files = (Attachment(f"{report.file_name}.pdf", to_pdf(html), MEDIA_TYPES["pdf"]),)
    return MailMessage(f"{site}: {report.title}", text, html, files)
