"""The table of decisions: what the loop of a site wrote into its log, copied for those who ask."""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, Table, Text

from schedlab.history.store.tables import metadata

decisions = Table(
    "decisions",
    metadata,
    # What the site of the loop is called, and which line of its log.
    Column("site", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at_s", Double, nullable=False),
    Column("round", Integer, nullable=False),
    Column("step", Text, nullable=False),
    Column("reason", Text),
    Column("policy", Text),
    # Of the policy.
    Column("digest", Text),
    # The whole line, as JSON, and its link in the chain of the log.
    Column("entry", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
