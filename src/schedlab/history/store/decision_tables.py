"""The table of decisions: a copy, for users of the service, of what a site's loop logged."""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, Table, Text

from schedlab.history.store.tables import metadata

decisions = Table(
    "decisions",
    metadata,
    # The name of the loop's site, and the number of the line in its log.
    Column("site", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at_s", Double, nullable=False),
    Column("round", Integer, nullable=False),
    Column("step", Text, nullable=False),
    Column("reason", Text),
    Column("policy", Text),
    # The digest of the policy.
    Column("digest", Text),
    # The whole line, as JSON, and its link in the chain of the log.
    Column("entry", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
