"""The standard record itself, as a file of JSON or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from schedlab.history.ingest.source import Fault, fingerprint
from schedlab.history.schema.documents import read_documents
from schedlab.history.schema.fault import faults_of
from schedlab.history.schema.job import JobRecord


@dataclass
class StandardRecords:
    """Reads records from a file: one object, an array of them, or one on each line.

    A file that changed is read again as a whole.
    """

    name: str
    file: str
    cluster: str | None = None

    def __post_init__(self) -> None:
        self.cursor = ""

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the records, if the file changed since then."""
        self.cursor = fingerprint(self.file)
        if self.cursor == since:
            return
        for found in read_documents(self.file):
            if isinstance(found, Fault):
                yield found
                continue
            (where, root), document = found
            try:
                yield self._record(document)
            except ValidationError as error:
                yield from faults_of(error, where, root)

    def _record(self, document: Any) -> JobRecord:
        record = JobRecord.model_validate(document)
        if record.cluster is None and self.cluster is not None:
            return record.model_copy(update={"cluster": self.cluster})
        return record
