"""schedlab history report."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from schedlab.cli.console import AsJson, out, print_json, print_notes
from schedlab.cli.store_place import StoreLocation, require_service
from schedlab.errors import InputError, ParameterError

if TYPE_CHECKING:
    from schedlab.history.site import Site
    from schedlab.history.web.reports.period import Period
    from schedlab.history.web.reports.report import PeriodReport, Subject

EXAMPLES = (
    "schedlab history report",
    "schedlab history report --period month --group physics --out physics.pdf",
    "schedlab history report --user ada --date 2026-01-05 --email ada@example.org",
)


@dataclass(frozen=True, kw_only=True)
class About:
    """The subject and the period of a report."""

    period: Annotated[
        Literal["week", "month"], Option(metavar="week|month", help="From Monday on, or the month.")
    ] = "week"
    date: Annotated[
        str | None,
        Option(metavar="DAY", help="A day in the period. Default: the last period that is over."),
    ] = None
    user: Annotated[str | None, Option(metavar="NAME", help="Report on this user.")] = None
    group: Annotated[
        str | None, Option(metavar="NAME", help="Report on this accounting group.")
    ] = None

    def subject(self, site: Site) -> Subject:
        """Return the subject of the report."""
        from schedlab.history.web.reports.report import Subject

        if self.user and self.group:
            raise ParameterError("--user and --group: name one of them")
        if self.user:
            return Subject("user", self.user)
        return Subject("group", self.group) if self.group else Subject("site", site.about.name)

    def when(self, site: Site) -> Period:
        """Return the period that the report is about."""
        from schedlab.history.schema.times import find_zone
        from schedlab.history.web.reports.period import Period

        zone = find_zone(site.about.time_zone)
        if self.date is None:
            return Period.at(self.period, time.time(), zone).before
        try:
            day = date.fromisoformat(self.date)
        except ValueError:
            told = f'--date is "{self.date}"; must be a day such as 2026-11-09'
            raise ParameterError(told) from None
        return Period.around(self.period, day, zone)


def report(
    place: StoreLocation,
    about: About,
    output: Annotated[
        Path | None,
        Option("--out", metavar="FILE", help="Write it there: .html or .pdf."),
    ] = None,
    email: Annotated[
        list[str] | None,
        Option(metavar="ADDRESS", help="Send it there, as the section service.mail says."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Make a report: waits, use, efficiency, energy, cost, carbon, and what would help.

    It is about the site, a user or a group, and about the jobs that ended in a week or a month. A
    PDF needs an installed Chromium.
    """
    require_service()
    site = place.read()
    format = _format(output)
    made = _made(place, site, about)
    from schedlab.history.web.render import written
    from schedlab.history.web.reports.files import as_file

    if output is not None:
        from schedlab.atomic import atomic_write

        content = as_file(made, site.about.name, format)
        with atomic_write(output) as path:
            path.write_bytes(content)
    if email:
        _send(site, made, email)
    if json:
        print_json(made.facts())
    elif output is None and not email:
        text = written("report.txt", report=made, url=None, stop_url=None)
        out().print(text, end="", markup=False, highlight=False, soft_wrap=True)
    done = [] if output is None else [f"written: {output}"]
    print_notes([*done, *(f"sent to {each}" for each in email or ())], to_stderr=json)


def _format(output: Path | None) -> str:
    suffix = ".html" if output is None else output.suffix.lower()
    if suffix not in (".html", ".pdf"):
        raise ParameterError(f'--out {output}: ends in "{suffix}"; must be .html or .pdf')
    return suffix[1:]


def _made(place: StoreLocation, site: Site, about: About) -> PeriodReport:
    from schedlab.history.web.access import Role, Viewer
    from schedlab.history.web.database import Database
    from schedlab.history.web.reports.report import make_report

    subject, period = about.subject(site), about.when(site)
    with closing(Database(place.url())) as database, database.reading_long() as connection:
        return make_report(connection, Viewer(Role.SUPPORT), site, subject, period)


def _send(site: Site, made: PeriodReport, addresses: list[str]) -> None:
    from schedlab.history.notify.mail import send_mail
    from schedlab.history.notify.section import check_address
    from schedlab.history.web.reports.files import as_message

    if site.service.mail is None:
        raise InputError(f"{site.path}: has no [service.mail], which says by which server")
    for address in addresses:
        check_address("--email", address)
    message = as_message(made, site.about.name, with_pdf=True)
    send_mail(site.service.mail, site.path.parent, addresses, message)
