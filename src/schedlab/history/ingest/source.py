"""What a source of jobs is: it reads records from wherever a site keeps its accounting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from schedlab.history.schema.fault import Fault
from schedlab.history.schema.job import JobRecord

__all__ = ["Fault", "JobSource"]


@runtime_checkable
class JobSource(Protocol):
    """Reads job records, all of them or those new since an earlier reading."""

    name: str
    cursor: str
    """Where the next reading goes on; what it says once ``read`` is exhausted."""

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """The records since that cursor, or all; a broken one is a ``Fault`` in its place."""
        ...
