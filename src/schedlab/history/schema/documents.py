"""Read JSON documents: one object, an array of them, or one on each line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from schedlab.command_files import input_file
from schedlab.errors import InputError
from schedlab.history.schema.fault import Fault

_PART_BYTES = 1 << 16

Place = tuple[str, str]
"""The file, with a line where there are several documents, and the path of the root in it."""


def read_documents(path: str | Path) -> Iterator[tuple[Place, Any] | Fault]:
    """Yield every document of the file with its place; text that is not JSON is a fault."""
    data, broken = _content(path)
    if broken is not None:
        yield Fault(f"{path}", f"cannot be unpacked: {broken}; read up to there")
    data = data.strip()
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
    """Return the whole documents before the place where an array was cut off or broken."""
    try:
        return list(from_json(data.rstrip(b", \n") + b"]"))
    except ValueError:
        pass  # cut off within a document, which must not count, not even in part
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


def _content(path: str | Path) -> tuple[bytes, str | None]:
    """Return the content of the file, unpacked if it is gzip, and why it ends early, if it does."""
    try:
        raw = input_file(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return _unpacked(raw) if raw.startswith(b"\x1f\x8b") else (raw, None)


def _unpacked(packed: bytes) -> tuple[bytes, str | None]:
    parts = []
    with gzip.open(BytesIO(packed)) as stream:
        try:
            while part := stream.read1(_PART_BYTES):
                parts.append(part)
        except (OSError, EOFError, zlib.error) as error:
            return b"".join(parts), str(error)
    return b"".join(parts), None
