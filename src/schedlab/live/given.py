"""Which priorities steering has set, and to what they return: as the log has it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def key_of(handle: str) -> str:
    """Return the part of a handle that stays: tasks of an array leave it as they start."""
    return handle.partition("_[")[0]


class GivenPriorities:
    """Tells a priority that steering has set from one that a user or an operator has given.

    Grid Engine has one number for both, and so has Slurm's nice. The log has, before each change,
    what the job had. A value that is neither that nor one of the log is somebody else's: the job
    then returns to it.

    Args:
        log: of the steering; None, or a file that is not there, knows nothing.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._log, self._place = log, 0
        self._bases: dict[str, int] = {}
        self._set: dict[str, set[int]] = {}

    def base(self, handle: str, priority: int) -> int:
        """Return the priority that a job has without steering, given the one that it has now.

        What was set for the waiting tasks of an array stays with those that leave it.
        """
        for key in (key_of(handle), handle.partition("_")[0]):
            if priority in self._set.get(key, ()):
                return self._bases[key]
        return priority

    def read_on(self) -> None:
        """Read what the log has got since the last time."""
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
                    return  # it is not whole yet
                self._place += len(line)
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if isinstance(entry, dict):
                    yield entry
