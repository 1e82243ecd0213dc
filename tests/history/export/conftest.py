"""A store with a job of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.history.records import job, measured_job

from schedlab.history.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A measured job, one that waited for it, one that was cancelled, and one that still runs."""
    never_ran = {"state": "cancelled", "start_time": None, "per_host": None}
    running = {"state": "running", "end_time": None}
    with Store.make(str(tmp_path / "history.db")) as made:
        jobs = [
            measured_job("7_1", job_name="wing flutter", partition="gpu"),
            job("8", queued_s=60, user_identifier="bob", dependency=["7_1"]),
            job("9", queued_s=70, **never_ran),
            job("10", queued_s=80, **running),
        ]
        made.put(jobs, source="test")
        yield made
