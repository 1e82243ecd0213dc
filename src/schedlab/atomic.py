"""Output files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from schedlab.command_files import note_replacing, output_file
from schedlab.errors import OutputError


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; rename it to ``path`` if the block succeeds.

    A read-only file is not replaced; any other keeps its mode. A device or a pipe, such as
    ``/dev/stdout``, is written directly: it must not be replaced.
    """
    path = Path(path)
    with _failing_as_output(path):
        if path.exists() and not path.is_file():
            with path.open("wb"):  # a pipe waits for its reader here, where a signal can end it
                yield path
            return
        _refuse_read_only(path)
        temporary = _temporary(path)
        try:
            yield temporary
            _take_place(temporary, path.resolve())
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def require_writable(path: str | Path) -> None:
    """Check that the file can be written, before the work whose result it will hold.

    A command must not read a file that it names here, nor name one that it has read.
    """
    path = Path(path)
    with _failing_as_output(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.is_file() or not path.exists():
            _refuse_read_only(path)
            temporary = _temporary(path)
            temporary.touch()
            temporary.unlink()
            output_file(path)
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _temporary(path: Path) -> Path:
    target = path.resolve()
    return target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.tmp")


def _refuse_read_only(path: Path) -> None:
    # The mode counts for root too, who may write any file; a rename checks only the folder.
    writable = path.is_file() and path.stat().st_mode & 0o222 and os.access(path, os.W_OK)
    if path.is_file() and not writable:
        raise PermissionError(errno.EACCES, "the file is read-only")


def _take_place(temporary: Path, target: Path) -> None:
    if target.exists():
        found = target.stat()
        temporary.chmod(stat.S_IMODE(found.st_mode))
        note_replacing(found)
    temporary.replace(target)


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
