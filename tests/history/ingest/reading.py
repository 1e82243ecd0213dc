"""Helpers that read a source for a test: records by id, faults apart."""

from __future__ import annotations

from schedlab.history.ingest import Fault, JobSource
from schedlab.history.schema import JobRecord


def read(source: JobSource, since: str | None = None) -> tuple[dict[str, JobRecord], list[str]]:
    """Return the records by their ids, and the faults; check that no id comes twice."""
    records: dict[str, JobRecord] = {}
    faults: list[str] = []
    for found in source.read(since):
        if isinstance(found, Fault):
            faults.append(str(found))
        else:
            assert found.jobid not in records
            records[found.jobid] = found
    return records, faults


def clean(source: JobSource, since: str | None = None) -> dict[str, JobRecord]:
    """Return the records of a source without faults."""
    records, faults = read(source, since)
    assert faults == []
    return records
