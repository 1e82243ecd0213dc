"""Which report somebody asks for, and whether they may see it."""

from __future__ import annotations

import time
from datetime import date

from sqlalchemy import Connection, select

from schedlab.errors import ParameterError
from schedlab.history.store.queries import conditions
from schedlab.history.store.tables import jobs
from schedlab.history.web.access import Role, Viewer, visible
from schedlab.history.web.problems import not_found
from schedlab.history.web.quantities import zone_of
from schedlab.history.web.queries.cluster_use import last_end_s
from schedlab.history.web.reports.period import Period
from schedlab.history.web.reports.report import PeriodReport, Subject, make_report
from schedlab.history.web.service import Service


def asked_report(
    service: Service, viewer: Viewer, period: str, day: str, user: str, group: str
) -> PeriodReport:
    """Return the report on a user, a group, or all that the viewer is in charge of.

    Args:
        service: the service that has the jobs.
        viewer: who asks.
        period: ``week`` or ``month``.
        day: a day of the period, in ISO 8601; if empty, the day on which the last job ended.
        user: the user to report on, or empty.
        group: the group to report on, or empty.
    """
    site = service.settings.site
    subject = _subject(viewer, "all jobs" if site is None else site.about.name, user, group)
    zone = zone_of(service)
    with service.database.reading() as connection:
        _require_seen(connection, viewer, subject)
        if day:
            chosen = Period.around(period, _day(day), zone)
        else:
            chosen = Period.at(period, last_end_s(connection, viewer) or time.time(), zone)
        return make_report(connection, viewer, site, subject, chosen)


def _subject(viewer: Viewer, site: str, user: str, group: str) -> Subject:
    if user and group:
        raise ParameterError("user and group: name one of them")
    if user:
        return Subject("user", user)
    if group:
        return Subject("group", group)
    if viewer.role is Role.USER:
        return Subject("user", viewer.user or "")
    if viewer.role is Role.MANAGER:
        first = min(viewer.groups, default=None)
        return Subject("user", viewer.user or "") if first is None else Subject("group", first)
    return Subject("site", site)


def _require_seen(connection: Connection, viewer: Viewer, subject: Subject) -> None:
    """Refuse as unknown a report on a user or group of whom the viewer sees nothing or a part."""
    if subject.kind == "site" or (subject.kind, subject.name) == ("user", viewer.user):
        return
    sees_part = viewer.role is Role.USER or (
        viewer.role is Role.MANAGER
        and subject.kind == "group"
        and subject.name not in viewer.groups
    )
    one = select(jobs.c.id).where(visible(viewer), *conditions(subject.query)).limit(1)
    if sees_part or connection.execute(one).first() is None:
        raise not_found()


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ParameterError(f'date is "{text}"; must be a day such as 2026-11-09') from None
