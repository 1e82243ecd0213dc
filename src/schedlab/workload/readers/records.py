"""The jobs of a file as it has them, before anything is repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from schedlab.errors import InputError
from schedlab.workload.workload import Array, ReadReport


@dataclass(frozen=True)
class Records:
    """Columns of numbers named as in ``COLUMNS``, which also says what stands for a missing one."""

    path: Path
    columns: Mapping[str, Array]
    lines: Array | None = None
    """The line of each record, where the file has lines."""
    repaired: Mapping[str, Array] = field(default_factory=dict)
    """Which records the reader itself had to change, by reason."""
    noticed: Mapping[str, Array] = field(default_factory=dict)
    """Which records the reader found odd, by reason."""

    def __len__(self) -> int:
        return len(self.columns["job_id"])

    def error(self, record: int, reason: str) -> InputError:
        """Return an error that says where in the file the record is."""
        if self.lines is not None:
            return InputError.at(self.path, int(self.lines[record]), reason)
        return InputError(f"{self.path}: record {record + 1}: {reason}")


def and_more(bad: int) -> str:
    """Return the end of a sentence about the first of several bad places."""
    return f" (and {bad - 1:,} more like this)" if bad > 1 else ""


class Tally:
    """Counts what is repaired, dropped and noticed among the records, and which ones are kept."""

    def __init__(self, records: Records) -> None:
        self.keep = np.ones(len(records), dtype=bool)
        self._records = records
        self._counts: dict[str, dict[str, int]] = {"repaired": {}, "dropped": {}, "noticed": {}}
        self._first_refused: tuple[int, str] = (len(records), "")
        for reason, which in records.repaired.items():
            self.repair(which, reason)
        for reason, which in records.noticed.items():
            self.notice(which, reason)

    def repair(self, which: Array, reason: str) -> None:
        """Count records that are changed."""
        self._refuse(self._count("repaired", which, reason), reason)

    def drop(self, which: Array, reason: str) -> None:
        """Count records that are left out, and drop them."""
        self._refuse(self._count("dropped", which, reason), reason)
        self.keep &= ~which

    def notice(self, which: Array, reason: str) -> None:
        """Count records that are odd but stay as they are."""
        self._count("noticed", which, reason)

    def report(self, *, strict: bool) -> ReadReport:
        """Return what was counted; in strict reading the first repair or drop is an error."""
        record, reason = self._first_refused
        if strict and reason:
            job = int(self._records.columns["job_id"][record])
            raise self._records.error(record, f"job {job}: {reason}; strict reading refuses this")
        return ReadReport(len(self.keep), **self._counts)

    def _count(self, kind: str, which: Array, reason: str) -> Array:
        hits = which & self.keep
        count = int(np.count_nonzero(hits))
        if count:
            self._counts[kind][reason] = count
        return hits

    def _refuse(self, hits: Array, reason: str) -> None:
        if hits.any():
            self._first_refused = min(self._first_refused, (int(np.argmax(hits)), reason))
