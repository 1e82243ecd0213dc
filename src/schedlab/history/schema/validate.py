"""Check that a file keeps to the schema of job records."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from schedlab.history.schema.documents import Place, read_documents
from schedlab.history.schema.fault import Fault, faults_of
from schedlab.history.schema.job import JobRecord

_TIMES = ("queue_time", "eligible_time", "start_time", "end_time")


def validate_file(path: str | Path) -> list[Fault]:
    """Return every fault of a file of job records, each with its line and its path in the JSON.

    Besides the schema of each record, no two records may be of the same job, and all times must
    have one offset, so that their texts sort in the order of time.
    """
    return list(_faults(path))


def _faults(path: str | Path) -> Iterator[Fault]:
    check = _Together()
    count = 0
    for found in read_documents(path):
        count += 1
        if isinstance(found, Fault):
            yield found
            continue
        (where, root), document = found
        try:
            record = JobRecord.model_validate(document)
        except ValidationError as error:
            yield from faults_of(error, where, root)
        else:
            yield from check.faults(record, (where, root))
    if not count:
        yield Fault(f"{path}", "holds no job record")


class _Together:
    """The rules that hold among the records of one file."""

    def __init__(self) -> None:
        self._first: dict[Any, str] = {}
        self._offset: timedelta | None = None

    def faults(self, record: JobRecord, place: Place) -> Iterator[Fault]:
        where, root = place
        here = f"{where}: {root}"
        first = self._first.setdefault(record.identity, here)
        if first != here:
            yield Fault(here, f'is job "{record.jobid}" again, which stands at {first}')
        for item in _TIMES:
            moment = getattr(record, item)
            if moment is None:
                continue
            if self._offset is None:
                self._offset = moment.utcoffset()
            if moment.utcoffset() != self._offset:
                reason = f"has the offset {moment:%z}; the file began with another"
                yield Fault(f"{here}.{item}", reason)
