"""Output files that appear whole or not at all."""

from __future__ import annotations

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
    try:
        if path.exists() and not path.is_file():
            yield path
            return
        target = path.resolve()
        temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.tmp")
        try:
            yield temporary
            temporary.replace(target)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {_reason(path, error)}") from None


def _reason(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
        return f"folder {path.parent} does not exist"
    return (error.strerror or str(error)).lower()
