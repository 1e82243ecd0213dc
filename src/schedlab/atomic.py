"""Output files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from schedlab.errors import OutputError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary name in the same folder, renamed to ``path`` when the block ends well.

    A device or a pipe, such as ``/dev/stdout``, is written directly: it must not be replaced.
    """
    path = Path(path)
    with _failing_as_output(path):
        if path.exists() and not path.is_file():
            yield path
            return
        temporary = _temporary(path)
        try:
            yield temporary
            temporary.replace(path.resolve())
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def require_writable(path: str | Path) -> None:
    """Fail now, not after the work whose result the file is to hold."""
    path = Path(path)
    with _failing_as_output(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.is_file() or not path.exists():
            temporary = _temporary(path)
            temporary.touch()
            temporary.unlink()
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _temporary(path: Path) -> Path:
    target = path.resolve()
    return target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.tmp")


@contextmanager
def _failing_as_output(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {_reason(path, error)}") from None


def _reason(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
        return f"folder {path.parent} does not exist"
    return (error.strerror or str(error)).lower()
