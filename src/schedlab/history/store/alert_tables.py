"""The tables of what the service does automatically: alerts, and when each duty is due."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Table, Text

from schedlab.history.store.tables import metadata

alerts = Table(
    "alerts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    # The latest sentence on it, and the path of the page that tells more.
    Column("says", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("began_s", Double, nullable=False),
    Column("seen_s", Double, nullable=False),
    # Empty while the alert holds.
    Column("ended_s", Double),
    # When it was last sent by e-mail and to the webhook, and why sending failed.
    Column("mailed_s", Double),
    Column("posted_s", Double),
    Column("failure", Text),
    Column("acknowledged_by", Text),
    Column("acknowledged_s", Double),
)
Index("alert_ended", alerts.c.ended_s, alerts.c.began_s)

duties = Table(
    "duties",
    metadata,
    Column("name", Text, primary_key=True),
    # A worker that moves this time on has taken the duty over.
    Column("due_s", Double, nullable=False),
)
