"""Lines of accounting from a file or a command's output, continued where reading stopped."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from io import BytesIO
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from schedlab.command_files import input_file
from schedlab.errors import InputError, ParameterError
from schedlab.history.ingest.commands import output_of

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

_HEAD_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 20


@dataclass
class ReadPosition:
    """How far an input that only grows has been read."""

    offset: int = 0
    line: int = 0
    head_bytes: int = 0
    head: str = ""
    """A digest of the first lines, which tells whether the input is still the same."""
    memory: dict[str, Any] = field(default_factory=dict)
    """What the source must remember of the lines before."""

    @classmethod
    def parse(cls, cursor: str | None) -> ReadPosition:
        """Read a position from the text of a cursor; without a cursor, the beginning."""
        try:
            return cls(**json.loads(cursor)) if cursor else cls()
        except (TypeError, ValueError):
            raise InputError(f"the cursor {cursor!r} is not one of this source") from None

    @property
    def number(self) -> int:
        """The number of the line that begins here."""
        return self.line + 1

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))


@dataclass
class TextInput:
    """A file, or the output of a command: exactly one of the two."""

    file: str | None
    command: tuple[str, ...] | None

    def __post_init__(self) -> None:
        if (self.file is None) == (self.command is None):
            raise ParameterError("say either file or command")

    @property
    def label(self) -> str:
        """The name of the input in faults."""
        return self.file or " ".join(self.command or ())

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the bytes; gzip is unpacked."""
        opened = output_of(self.command) if self.command else open_file(str(self.file))
        with opened as stream:
            yield stream

    def lines(self, place: ReadPosition) -> Iterator[str]:
        """Yield the lines after that place, without their ends.

        When a line is yielded, the place is still before that line. An input that begins
        differently now, or is shorter, was replaced by another one: it is read from its beginning.
        A last line without an end may still be incomplete: the place stays before it.
        """
        if place.offset:
            with self.open() as stream:
                head = stream.read(place.head_bytes)
                known = sha256(head)
                if known.hexdigest() == place.head and _skip(stream, place.offset - len(head)):
                    yield from _lines(chain(BytesIO(head[place.offset :]), stream), place, known)
                    return
        place.offset = place.line = place.head_bytes = 0
        place.memory = {}
        with self.open() as stream:
            yield from _lines(stream, place, sha256())


@contextmanager
def open_file(path: str) -> Iterator[IO[bytes]]:
    """Open the file's bytes, unpacked if it is gzip."""
    try:
        with input_file(path).open("rb") as raw:
            if raw.peek(2).startswith(b"\x1f\x8b"):
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield unpacked  # type: ignore[misc]  # reads like a file
            else:
                yield raw
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None


def _skip(stream: IO[bytes], left: int) -> bool:
    """Skip this number of bytes; return whether the stream had them."""
    while left > 0 and (chunk := stream.read(min(left, _CHUNK_BYTES))):
        left -= len(chunk)
    return left <= 0


def _lines(raws: Iterable[bytes], place: ReadPosition, head: Hash) -> Iterator[str]:
    for raw in raws:
        yield raw.rstrip(b"\r\n").decode(errors="replace")
        if raw.endswith(b"\n"):
            if place.offset == place.head_bytes < _HEAD_BYTES:
                head.update(raw)
                place.head, place.head_bytes = head.hexdigest(), place.head_bytes + len(raw)
            place.line += 1
            place.offset += len(raw)
