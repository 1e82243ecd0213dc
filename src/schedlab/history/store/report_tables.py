"""The tables of reports: which were delivered, and who wants them."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Table, Text

from schedlab.history.store.tables import metadata

deliveries = Table(
    "deliveries",
    metadata,
    # Which report, to whom.
    Column("key", Text, primary_key=True),
    # Empty until it was delivered.
    Column("sent_s", Double),
    Column("failure", Text),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("account", Text, ForeignKey("accounts.name", ondelete="CASCADE"), primary_key=True),
    Column("address", Text, nullable=False),
    Column("period", Text, nullable=False),
)
