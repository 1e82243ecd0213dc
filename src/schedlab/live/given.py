"""The priorities that steering has set, and the values they return to, as the log has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def key_of(handle: str) -> str:
    """Return the part of a handle that stays the same when tasks of an array start."""
    return handle.partition("_[")[0]


class GivenPriorities:
    """Distinguishes priorities that steering has set from those of a user or an operator.

    Grid Engine has one number for both, and so has Slurm's nice. The log has the job's value from
    before each change. A value that is neither this one nor one from the log was set by someone
    else: the job then returns to it.

    Args:
        log: the log of the steering; with None, or a missing file, steering has set nothing.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._log, self._place = log, 0
        self._bases: dict[str, int] = {}
        self._set: dict[str, set[int]] = {}

    def base(self, handle: str, priority: int) -> int:
        """Return the priority that a job has without steering, given the one that it has now.

        A task that leaves its array keeps what was set for the array's waiting tasks.
        """
        for key in (key_of(handle), handle.partition("_")[0]):
            if priority in self._set.get(key, ()):
                return self._bases[key]
        return priority

    def read_on(self) -> None:
        """Read the entries that the log has got since the last call."""
        for entry in self._entries():
            if entry.get("kind") != "change":
                continue
            key, base = key_of(str(entry.get("job", ""))), int(entry.get("base", 0))
            if self._bases.get(key) != base:
                self._bases[key], self._set[key] = base, set()
            self._set[key].add(base + int(entry.get("to", 0)))

    def _entries(self) -> Iterator[dict[str, Any]]:
        if self._log is None or not self._log.is_file():
            return
        with self._log.open("rb") as file:
            if file.seek(0, 2) < self._place:  # another log has taken its place
                self._place = 0
            file.seek(self._place)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # the line is not complete yet
                self._place += len(line)
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if isinstance(entry, dict):
                    yield entry
