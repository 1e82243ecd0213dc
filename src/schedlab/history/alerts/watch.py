"""Look for what is wrong, remember it, and send messages about it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from sqlalchemy import Connection

from schedlab.errors import SchedlabError, ServiceError
from schedlab.history.alerts import notice
from schedlab.history.alerts.alert import HOUR_S, Alert, RuleInput
from schedlab.history.alerts.book import Noted, note_alerts, note_told, untold, untold_over
from schedlab.history.alerts.rules import RULES
from schedlab.history.alerts_section import AlertsSection
from schedlab.history.notify.mail import send_mail
from schedlab.history.notify.webhook import post_json
from schedlab.history.schema.times import find_zone
from schedlab.history.site import Site
from schedlab.history.store.connections import Connections

_LOG = logging.getLogger("schedlab.service")
Telling = Callable[[Sequence[Noted]], None]


def watch(connections: Connections, site: Site, section: AlertsSection, now_s: float) -> None:
    """Look once; report new and ended alerts, and repeat unacknowledged ones."""
    kinds, found = find_alerts(connections, site, section, now_s)
    with connections.writing() as connection:
        note_alerts(connection, found, kinds, now_s)
    if section.is_quiet(datetime.fromtimestamp(now_s, find_zone(site.about.time_zone))):
        return
    for column, tell in channels(site, section):
        for which in (untold_over, untold):
            _tell(connections, column, tell, which, now_s, now_s - section.remind_h * HOUR_S)


def find_alerts(
    connections: Connections, site: Site, section: AlertsSection, now_s: float
) -> tuple[list[str], list[Alert]]:
    """Return the kinds that could be checked, and the alerts found.

    If a rule fails, only its own alerts are missing.
    """
    kinds: list[str] = []
    found: list[Alert] = []
    for kind in section.watched:
        try:
            with connections.reading_long() as connection:
                found += RULES[kind](RuleInput(connection, site, section, now_s))
        except SchedlabError as error:
            _LOG.error("alerts: %s: %s", kind, error)
        else:
            kinds.append(kind)
    return kinds, found


def channels(site: Site, section: AlertsSection) -> Iterator[tuple[str, Telling]]:
    """Yield the ways to send messages, each with the column that records it."""
    folder, mail = site.path.parent, site.service.mail
    if section.email and mail is not None:
        yield (
            "mailed_s",
            lambda some: send_mail(mail, folder, section.email, notice.message(site, some)),
        )
    url = section.webhook_url(folder)
    if url is not None:
        yield "posted_s", lambda some: post_json(url, notice.document(site, some))


def _tell(
    connections: Connections,
    column: str,
    tell: Telling,
    which: Callable[[Connection, str, float], list[Noted]],
    now_s: float,
    limit_s: float,
) -> None:
    with connections.reading_long() as connection:
        some = which(connection, column, limit_s)
    if not some:
        return
    failure = None
    try:
        tell(some)
    except ServiceError as error:
        failure = str(error)
        _LOG.error("alerts: %s", failure)
    with connections.writing() as connection:
        note_told(connection, [each.id for each in some], column, now_s, failure)
