"""The file a workload is read from."""

from __future__ import annotations

import gzip
import hashlib
import sys
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from schedlab.command_files import input_file
from schedlab.errors import InputError

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"

STDIN = Path("-")


@dataclass(frozen=True)
class Source:
    """One input file, held in memory."""

    path: Path
    raw: bytes

    @classmethod
    def load(cls, path: str | Path) -> Source:
        """Load the file, or standard input for ``-``; an error says why it cannot be read."""
        path = Path(path)
        try:
            if path == STDIN:
                raw = sys.stdin.buffer.read()
            else:
                raw = input_file(path, or_dash=True).read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        if not raw:
            raise InputError(f"{path}: is empty")
        return cls(path, raw)

    @property
    def compressed(self) -> bool:
        """Whether the file is gzip, by its content."""
        return self.raw.startswith(_GZIP)

    @property
    def suffix(self) -> str:
        """The ending that names the format, in lower case: ``.swf`` for ``a.swf.gz``."""
        return plain_name(self.path).suffix.lower()

    @property
    def stem(self) -> str:
        """The file's name without endings."""
        return "stdin" if self.path == STDIN else plain_name(self.path).stem

    @property
    def sha256(self) -> str:
        """Digest of the file as it is stored."""
        return hashlib.sha256(self.raw).hexdigest()

    @cached_property
    def data(self) -> bytes:
        """The content, unpacked if it was compressed."""
        if not self.compressed:
            if self.path.suffix.lower() == ".gz":
                raise InputError(f"{self.path}: is named .gz but is not gzip")
            return self.raw
        try:
            return gzip.decompress(self.raw)
        except EOFError:
            raise InputError(f"{self.path}: gzip file is truncated") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{self.path}: gzip file is damaged: {error}") from None

    @cached_property
    def text(self) -> bytes:
        """The content of a text file, still as bytes, without a byte-order mark."""
        if b"\0" in self.data[:65536]:
            raise InputError(f"{self.path}: is a binary file; must be text")
        text = self.data.removeprefix(_BOM)
        if not text or text.isspace():
            raise InputError(f"{self.path}: is empty")
        return text

    def decoded(self) -> str:
        """Return the text as characters; archives older than UTF-8 are Latin-1."""
        return decode(self.text)


def plain_name(path: Path) -> Path:
    """Return the file's name without ``.gz``."""
    name = Path(path.name)
    return name.with_suffix("") if name.suffix.lower() == ".gz" else name


def decode(text: bytes) -> str:
    """Read the text as UTF-8, or as Latin-1 if it is not UTF-8."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")
