"""The log of decisions: lines are only added, and each holds the hash of the one before."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, OutputError

FIRST = "0" * 64
Entry = dict[str, Any]


class Ledger:
    """Adds entries to a log; opening a log checks the entries that it has.

    A last line that a crash cut short is reported and removed; any other change is an error.

    Args:
        path: a file of JSON lines; the first entry creates it if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn = False
        self._open()

    def _open(self) -> None:
        self.last, self._size, torn = _checked(self.path)
        if torn:
            self.torn = True
            os.truncate(self.path, self._size)

    def add(self, kind: str, at: float, **what: Any) -> Entry:
        """Write an entry to the disk; OutputError if that fails."""
        if own := what.keys() & {"before", "hash"}:
            raise ValueError(f"{min(own)} is the log's own key")
        if self.path.exists() and self.path.stat().st_size != self._size:
            self._open()  # another process has added something, or a disk was full
        entry: Entry = {"at": round(at, 3), "kind": kind, **what, "before": self.last}
        found = _hash(entry)
        line = json.dumps({**entry, "hash": found}, ensure_ascii=True) + "\n"
        try:
            with self.path.open("a", encoding="ascii") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from None
        self.last, self._size = found, self._size + len(line)
        return entry


def read_ledger(path: Path, *, with_hash: bool = False) -> Iterator[Entry]:
    """Yield the entries of a log in order; an error at the first line that was changed."""
    before = FIRST
    for number, line in enumerate(_lines(path), 1):
        entry = _entry(path, number, line, before)
        before = entry["hash"] if with_hash else entry.pop("hash")
        yield entry


def _checked(path: Path) -> tuple[str, int, bool]:
    """Return the last hash, the bytes of the complete lines, and whether a cut line follows."""
    before, size = FIRST, 0
    lines = _lines(path) if path.exists() else []
    for number, line in enumerate(lines, 1):
        if number == len(lines) and not line.endswith(b"\n"):
            return before, size, True
        before, size = _entry(path, number, line, before)["hash"], size + len(line)
    return before, size, False


def _lines(path: Path) -> list[bytes]:
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a regular file")
    try:
        return path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _entry(path: Path, number: int, line: bytes, before: str) -> Entry:
    try:
        entry = json.loads(line)
        own = entry.pop("hash")
    except (ValueError, AttributeError, KeyError, TypeError):
        raise InputError(f"{path}:{number}: not an entry of a log") from None
    if entry.get("before") != before or _hash(entry) != own:
        raise InputError(f"{path}:{number}: this entry, or one before it, was changed")
    entry["hash"] = own
    return dict(entry)


def _hash(entry: Entry) -> str:
    text = json.dumps(entry, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
