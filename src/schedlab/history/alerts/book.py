"""The alerts in the store: when each began, whom it was sent to, and who acknowledged it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from schedlab.history.alerts.alert import Alert
from schedlab.history.store.alert_tables import alerts

_PAST = 50


@dataclass(frozen=True)
class Noted:
    """An alert in the store; the comments on its table explain the columns."""

    id: str
    kind: str
    subject: str
    says: str
    path: str
    began_s: float
    seen_s: float
    ended_s: float | None
    mailed_s: float | None
    posted_s: float | None
    failure: str | None
    acknowledged_by: str | None
    acknowledged_s: float | None

    @property
    def told_s(self) -> float | None:
        """When the last message about it was sent."""
        return max((each for each in (self.mailed_s, self.posted_s) if each), default=None)


_HOLDS = alerts.c.ended_s.is_(None)


def note_alerts(
    connection: Connection, found: Iterable[Alert], kinds: Sequence[str], now_s: float
) -> None:
    """Add new alerts, and end those of the checked kinds that no longer hold."""
    open_ones = {(each.kind, each.subject): each.id for each in current_alerts(connection)}
    for alert in found:
        known = open_ones.pop((alert.kind, alert.subject), None)
        values = {"says": alert.text, "path": alert.path, "seen_s": now_s}
        if known is None:
            new = {"id": secrets.token_hex(8), "kind": alert.kind, "subject": alert.subject}
            connection.execute(insert(alerts).values(new | values | {"began_s": now_s}))
        else:
            connection.execute(update(alerts).where(alerts.c.id == known).values(values))
    over = [key for (kind, _), key in open_ones.items() if kind in kinds]
    connection.execute(update(alerts).where(alerts.c.id.in_(over)).values(ended_s=now_s))


def current_alerts(connection: Connection) -> list[Noted]:
    """Return the alerts that hold, the newest first."""
    return _found(connection, _HOLDS)


def past_alerts(connection: Connection) -> list[Noted]:
    """Return the latest of the alerts that are over."""
    return _found(connection, alerts.c.ended_s.is_not(None), limit=_PAST)


def count_unacknowledged(connection: Connection) -> int:
    """Return the number of unacknowledged alerts."""
    waiting = select(func.count()).where(_HOLDS, alerts.c.acknowledged_s.is_(None))
    return int(connection.execute(waiting).scalar_one())


def untold(connection: Connection, column: str, before_s: float) -> list[Noted]:
    """Return unacknowledged alerts without a message of this kind since then."""
    told = alerts.c[column]
    return _found(
        connection,
        _HOLDS & alerts.c.acknowledged_s.is_(None) & (told.is_(None) | (told < before_s)),
    )


def untold_over(connection: Connection, column: str, since_s: float) -> list[Noted]:
    """Return alerts that ended since then, whose beginning but not end was sent this way."""
    ended, told = alerts.c.ended_s, alerts.c[column]
    return _found(connection, (ended >= since_s) & (told < ended))


def note_told(
    connection: Connection, ids: Sequence[str], column: str, now_s: float, failure: str | None
) -> None:
    """Record that these alerts were sent this way, or why that failed."""
    values = {"failure": failure} if failure else {column: now_s, "failure": None}
    connection.execute(update(alerts).where(alerts.c.id.in_(ids)).values(values))


def acknowledge(connection: Connection, alert_id: str, by: str, now_s: float) -> bool:
    """Record who acknowledged the alert; return False if there is no such open alert."""
    this = (alerts.c.id == alert_id) & _HOLDS
    values = {"acknowledged_by": by, "acknowledged_s": now_s}
    return connection.execute(update(alerts).where(this).values(values)).rowcount > 0


def _found(
    connection: Connection, which: ColumnElement[bool], limit: int | None = None
) -> list[Noted]:
    order = (alerts.c.began_s.desc(), alerts.c.kind, alerts.c.subject)
    rows = connection.execute(select(alerts).where(which).order_by(*order).limit(limit))
    return [Noted(**row) for row in rows.mappings()]
