"""The table of simulations that the history service was asked for."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Table, Text

from schedlab.history.store.tables import metadata

tasks = Table(
    "tasks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    # Who asked, by name; and, as JSON, as whom: it decides which jobs the result covers.
    Column("account", Text, nullable=False),
    Column("viewer", Text, nullable=False),
    # What is simulated, as JSON, and a digest of it with what the store held then.
    Column("parameters", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("progress", Double, nullable=False),
    # Which process is at it, and when it last said so.
    Column("worker", Text),
    Column("seen_s", Double),
    Column("created_s", Double, nullable=False),
    Column("ended_s", Double),
    Column("result", Text),
    Column("failure", Text),
)
Index("task_state", tasks.c.state, tasks.c.created_s)
Index("task_account", tasks.c.account, tasks.c.kind, tasks.c.created_s)
