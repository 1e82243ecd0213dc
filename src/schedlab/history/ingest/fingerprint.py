"""Whether files changed since they were read."""

from __future__ import annotations

from pathlib import Path

from schedlab.errors import InputError


def fingerprint(file: str | Path) -> str:
    """What changes when the file does: its size and the time it was written."""
    try:
        status = Path(file).stat()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    return f"{status.st_size}/{status.st_mtime_ns}"
