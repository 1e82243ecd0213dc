"""The contract of a job source: it reads records from a site's accounting."""

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
    """The place where the next reading goes on; valid once ``read`` is exhausted."""

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Return the records since that cursor, or all.

        A record that cannot be read is replaced by a ``Fault``.
        """
        ...


def fingerprint(file: str | Path) -> str:
    """Return a text that changes with the file: its size and the time it was written."""
    try:
        status = Path(file).stat()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    return f"{status.st_size}/{status.st_mtime_ns}"


FORGET_AFTER_S = 90 * 86400
"""The time after a requeue from which the same id belongs to another job."""


class AttemptCounter:
    """Remembers the attempts that were put back into the queue, and their order.

    The order is given by any whole number that grows: seconds of the epoch, or bytes of a file.
    What the counter knows can be stored with a source's cursor, so that rows that are read twice,
    or in a later reading than the attempt before, get the same number. ``reach`` is how far back it
    looks.
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
        """Return 1 plus the number of earlier attempts at the job that were put back."""
        if not put_back and job not in self:
            return 1
        places = self._put_back.setdefault(job, [])
        if put_back and place not in places:
            places.append(place)
        return 1 + sum(0 < place - each <= self._reach for each in places)

    def known(self, now: int) -> dict[str, list[int]]:
        """Return what the counter must remember after that place."""
        oldest = now - self._reach
        return {job: places for job, places in self._put_back.items() if max(places) >= oldest}
