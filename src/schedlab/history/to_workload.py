"""Any stored history as a workload, with power and energy per job."""

from __future__ import annotations

from pathlib import Path

from pydantic_core import from_json

from schedlab.history.store import JobQuery, Store
from schedlab.workload import Workload
from schedlab.workload.readers import ReadOptions
from schedlab.workload.readers.job_history import history_workload


def workload_of(
    store: Store, query: JobQuery | None = None, *, options: ReadOptions | None = None
) -> Workload:
    """Return the jobs of the store that have ended, for ``simulate``.

    Args:
        store: the history.
        query: which jobs to return. Default: all.
        options: what to do with jobs that never ran, and similar choices.
    """
    where = store.shown
    records = map(from_json, store.documents(query or JobQuery()))
    made = history_workload(records, Path(where), options or ReadOptions(), name="history")
    return made.record("history", store=where)
