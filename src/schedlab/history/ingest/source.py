"""What a source of jobs is: it reads records from wherever a site keeps its accounting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from schedlab.errors import InputError
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
        """Return the records since that cursor, or all.

        A broken one is a ``Fault`` in its place.
        """
        ...


def fingerprint(file: str | Path) -> str:
    """Return what changes when the file does: its size and the time it was written."""
    try:
        status = Path(file).stat()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    return f"{status.st_size}/{status.st_mtime_ns}"


FORGET_AFTER_S = 90 * 86400
"""The time after a requeue from which the same id belongs to another job."""


class AttemptCounter:
    """Remembers the attempts that were put back into the queue, and in which order they were.

    The order is any whole number that grows: seconds of the epoch, or bytes of a file. What it
    knows can be stored with a source's cursor, so that rows read twice, or read later than the
    attempt before, get the same number. ``reach`` is how far back it looks.
    """

    def __init__(
        self, known: dict[str, list[int]] | None = None, reach: int = FORGET_AFTER_S
    ) -> None:
        self._put_back = {job: list(places) for job, places in (known or {}).items()}
        self._reach = reach

    def __bool__(self) -> bool:
        """Return whether an attempt at any job was put back."""
        return bool(self._put_back)

    def __contains__(self, job: str) -> bool:
        """Return whether an attempt at the job was put back."""
        return job in self._put_back

    def number(self, job: str, place: int, *, put_back: bool) -> int:
        """Return 1 plus the attempts at the job that stand before this one and were put back."""
        if not put_back and job not in self:
            return 1
        places = self._put_back.setdefault(job, [])
        if put_back and place not in places:
            places.append(place)
        return 1 + sum(0 < place - each <= self._reach for each in places)

    def known(self, now: int) -> dict[str, list[int]]:
        """Return what must be remembered after that place."""
        oldest = now - self._reach
        return {job: places for job, places in self._put_back.items() if max(places) >= oldest}
