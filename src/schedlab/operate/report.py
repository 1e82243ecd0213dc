"""The weekly report of a loop: the report of the history service, and a section on steering."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from schedlab.errors import InputError, ParameterError
from schedlab.history.notify.mail import MailMessage
from schedlab.history.schema.times import find_zone
from schedlab.history.site import Site, read_site
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.reports.files import as_message
from schedlab.history.web.reports.period import Period
from schedlab.history.web.reports.report import Subject, make_report
from schedlab.operate.record import sentence_of
from schedlab.operate.weekly import LoopWeek, week_of

TEMPLATES = Path(__file__).with_name("templates")
_END = "</body>"


def weekly_report(site: Path, service: str | None, day: str | None = None) -> MailMessage:
    """Make the report of a week.

    Args:
        site: the site folder of the loop.
        service: the site file of the history service; None for the steering alone.
        day: a day of the week, such as 2026-11-09. Default: one in the last week that is over.
    """
    told = None if service is None else _service(site / service)
    zone = find_zone(told.about.time_zone) if told is not None else UTC
    period = _period(day, zone)
    week = week_of(site, period.from_s, period.to_s)
    message = _alone(site, period) if told is None else _of_service(told, period)
    section = _written("steering.html", zone, week=week)
    assert message.html is not None
    assert message.html.count(_END) == 1, "names are escaped in it"
    return replace(
        message,
        text=f"{message.text.rstrip()}\n\n{_sentence(week)}\n",
        html=message.html.replace(_END, f"{section}\n{_END}"),
    )


def _period(day: str | None, zone: tzinfo) -> Period:
    if day is None:
        return Period.at("week", time.time(), zone).before
    try:
        return Period.around("week", date.fromisoformat(day), zone)
    except ValueError:
        raise ParameterError(f'--date is "{day}"; must be a day such as 2026-11-09') from None


def _service(path: Path) -> Site:
    if not path.exists():
        raise InputError(f"{path}: no such site file; operate.toml names it as service")
    return read_site(path)


def _of_service(told: Site, period: Period) -> MailMessage:
    """Return the report with all figures of the site's jobs."""
    url = told.store.located(told.path.parent)
    subject = Subject("site", told.about.name)
    with closing(Database(url)) as database, database.reading_long() as connection:
        made = make_report(connection, Viewer(Role.SUPPORT), told, subject, period)
    return as_message(made, told.about.name)


def _alone(site: Path, period: Period) -> MailMessage:
    title = f"Report on the loop of {site.resolve().name}, {period.label}"
    return MailMessage(title, title, _written("alone.html", period.zone, title=title))


def _sentence(week: LoopWeek) -> str:
    if not week.policies:
        return "Nothing was steered."
    lines = [
        f"{', '.join(week.policies)} steered for {_hours(week.steered_h)}, "
        f"with {week.changes:,} changes."
    ]
    lines += [
        f"{each.policy} {each.found}: mean wait {each.change:+.1%}"
        + (f" (95 %: {each.interval})." if each.interval else ".")
        for each in week.effects
    ]
    return "\n".join(lines)


def _written(template: str, zone: tzinfo, **context: object) -> str:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def clock(at: float) -> str:
        return f"{datetime.fromtimestamp(at, zone):%Y-%m-%d %H:%M}"

    filters: dict[str, Callable[..., str]] = {
        "clock": clock,
        "hours": _hours,
        "seconds": lambda value: f"{value:,.0f} s",
        "told": sentence_of,
    }
    made.filters.update(filters)
    return made.get_template(template).render(**context)


def _hours(value: float) -> str:
    return f"{value:,.1f} hours" if value >= 1 else f"{60 * value:,.0f} minutes"
