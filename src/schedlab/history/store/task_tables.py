"""The table of simulations that users asked the history service for."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Table, Text

from schedlab.history.store.tables import metadata

tasks = Table(
    "tasks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    # The user who asked, and the viewer as JSON, which decides which jobs the result covers.
    Column("account", Text, nullable=False),
    Column("viewer", Text, nullable=False),
    # The simulation as JSON, and a digest of it and of what the store held at that time.
    Column("parameters", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("progress", Double, nullable=False),
    # The process that works on it, and when it last said so.
    Column("worker", Text),
    Column("seen_s", Double),
    Column("created_s", Double, nullable=False),
    Column("ended_s", Double),
    Column("result", Text),
    Column("failure", Text),
)
Index("task_state", tasks.c.state, tasks.c.created_s)
Index("task_account", tasks.c.account, tasks.c.kind, tasks.c.created_s)
