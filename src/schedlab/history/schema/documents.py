"""JSON documents as they are read: one object, an array of them, or one on each line."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from schedlab.errors import InputError
from schedlab.history.schema.fault import Fault

Place = tuple[str, str]
"""The file, with a line where there are several documents, and the path of the root in it."""


def read_bytes(path: str | Path) -> bytes:
    """The file's content, unpacked if it is gzip."""
    try:
        raw = Path(path).read_bytes()
        return gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None


def read_documents(path: str | Path) -> Iterator[tuple[Place, Any] | Fault]:
    """Every document of the file with its place; what is no JSON is a fault."""
    data = read_bytes(path).strip()
    if data.startswith(b"["):
        yield from _array(path, data)
    elif data:
        yield from _lines(path, data)


def _array(path: str | Path, data: bytes) -> Iterator[tuple[Place, Any] | Fault]:
    try:
        documents = from_json(data)
    except ValueError as error:
        documents = _beginning(data)
        yield Fault(f"{path}", f"not JSON: {error}; read up to there")
    for index, each in enumerate(documents):
        yield (f"{path}", f"$[{index}]"), each


def _beginning(data: bytes) -> list[Any]:
    """The whole documents before the place where an array was cut off or broken."""
    try:
        return list(from_json(data.rstrip(b", \n") + b"]"))
    except ValueError:
        pass  # cut off within a document, of which even the part that is there must not count
    try:
        return list(from_json(data, allow_partial=True))[:-1]
    except ValueError:
        return []


def _lines(path: str | Path, data: bytes) -> Iterator[tuple[Place, Any] | Fault]:
    try:
        yield (f"{path}", "$"), from_json(data)
        return
    except ValueError:
        pass  # not one document, so one on each line
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield (f"{path}:{number}", "$"), from_json(line)
            except ValueError as error:
                yield Fault(f"{path}:{number}", f"not JSON: {error}")
