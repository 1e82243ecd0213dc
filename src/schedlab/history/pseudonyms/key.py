"""The secret from which pseudonyms are made, in a file that only its owner can read."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from schedlab.command_files import input_file
from schedlab.errors import InputError, OutputError

_LEAST_BYTES = 32


def make_key(path: str | Path) -> None:
    """Write a new random key, readable by its owner only; an existing key stays."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"key {path}: cannot be made: {reason}") from None
    with os.fdopen(file, "w") as stream:
        stream.write(secrets.token_hex(_LEAST_BYTES) + "\n")


def read_key(path: str | Path) -> bytes:
    """Return the key in the file, which only its owner may be able to read."""
    path = Path(path)
    if not path.exists():
        remedy = "make it with: schedlab history init --new-key"
        raise InputError(f"key {path}: does not exist; {remedy}")
    try:
        # Check the mode of the open file: meanwhile its name could stand for another file.
        with input_file(path).open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            key = stream.read().strip()
    except OSError as error:
        raise InputError(f"key {path}: cannot be read: {error.strerror}") from None
    if mode & 0o077:
        raise InputError(
            f"key {path}: has mode {mode:03o}, others can reach it; run: chmod 600 {path}"
        )
    if len(key) < _LEAST_BYTES:
        raise InputError(f"key {path}: has {len(key)} bytes; must have {_LEAST_BYTES} or more")
    return key
