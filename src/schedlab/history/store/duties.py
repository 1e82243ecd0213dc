"""Work that the service does automatically, once for all its workers."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from schedlab.history.store.alert_tables import duties


def is_due(connection: Connection, name: str, now_s: float) -> bool:
    """Return whether the duty is due; this does not block writers."""
    due_s = connection.execute(select(duties.c.due_s).where(duties.c.name == name)).scalar()
    return due_s is not None and due_s <= now_s


def take_duty(connection: Connection, name: str, now_s: float, next_s: float) -> bool:
    """Take the duty over until ``next_s``; False if it is not due or another worker has it."""
    this = (duties.c.name == name) & (duties.c.due_s <= now_s)
    return connection.execute(update(duties).where(this).values(due_s=next_s)).rowcount > 0
