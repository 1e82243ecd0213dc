"""Count what the store holds, in the background: it takes long with millions of jobs."""

from __future__ import annotations

from typing import Any

from schedlab.history.store import Store
from schedlab.history.store.status import status_of
from schedlab.history.web.database import Database
from schedlab.history.web.tasks.runner import Progress
from schedlab.history.web.tasks.task import QueuedTask


def count_store(database: Database, task: QueuedTask, progress: Progress) -> Any:
    """Return jobs, sources with their lag, and the coverage of sensors."""
    progress(0.0)
    return status_of(Store(database.url, database.engine)).facts()
