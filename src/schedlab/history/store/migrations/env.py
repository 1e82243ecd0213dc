"""Run by Alembic: migrates over the connection that ``database.upgrade`` holds."""

from __future__ import annotations

from alembic import context

from schedlab.history.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
